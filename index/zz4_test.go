package index
import ("testing";"os";"path/filepath";"fmt";"strings";"time";"bytes";"regexp")
func TestZZPatterns(t *testing.T) {
	var files [][]byte
	filepath.WalkDir("/tmp/trees/core/packages", func(p string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() && Language(p, nil) == "typescript" { b, _ := os.ReadFile(p); files = append(files, b) }
		return nil
	})
	l := languageNamed("typescript")
	tags, locals, _ := l.source()
	run := func(locals []byte) float64 {
		q, err := compileQuery("typescript", tags, locals)
		if err != nil { return -1 }
		best := 1e9
		for range 4 {
			c := cpuSeconds()
			for _, f := range files { q.language.Run(f, time.Minute) }
			best = min(best, cpuSeconds()-c)
		}
		return best
	}
	q, _ := l.load()
	best := 1e9
	for range 5 { c := cpuSeconds(); for _, f := range files { q.language.Parse(f, time.Minute) }; best = min(best, cpuSeconds()-c) }
	parse := best
	plain := bytes.Join(plainLine.FindAll(locals, -1), []byte("\n"))
	fmt.Printf("parse %.3f\n", parse)
	fmt.Printf("tags only %.3f\n", run(nil)/parse)
	fmt.Printf("tags+marks %.3f\n", run(plain)/parse)
	all := run(locals)/parse
	fmt.Printf("all %.3f\n", all)
	rest := plainLine.ReplaceAll(locals, nil)
	rest = regexp.MustCompile(`(?m)^;.*$`).ReplaceAll(rest, nil)
	// split into top-level patterns by blank lines
	parts := strings.Split(string(rest), "\n\n")
	for i, p := range parts {
		if strings.TrimSpace(p) == "" { continue }
		var keep []string
		for j, q := range parts { if j != i { keep = append(keep, q) } }
		c := run(append(append([]byte{}, plain...), []byte("\n\n"+strings.Join(keep, "\n\n"))...))/parse
		fmt.Printf("without %+.3f: %.70s\n", c-all, strings.Join(strings.Fields(p), " "))
	}
}
