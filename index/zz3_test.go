package index
import ("testing";"os";"path/filepath";"fmt";"time")
func TestZZCost(t *testing.T) {
	for _, root := range []string{"/tmp/trees/core", "/tmp/trees/prometheus/web/ui", os.Getenv("ZZ_JS")} {
	if root == "" { continue }
	type in struct{p string; b []byte; l *language; tags, all *query}
	var files []in
	size := 0
	tq := map[*language]*query{}
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() { if l := languageOf(p, nil); l != nil && l.ownThis { b, _ := os.ReadFile(p); if len(b) < 1<<20 {
			if tq[l] == nil { tags, _, _ := l.source(); tq[l], _ = compileQuery(l.name, tags, nil) }
			q, _ := l.load()
			files = append(files, in{p, b, l, tq[l], q}); size += len(b) } } }
		return nil
	})
	m := [4]float64{1e9,1e9,1e9,1e9}
	refs := 0
	for range 10 {
		for k := range m {
			c := cpuSeconds()
			for _, f := range files {
				switch k {
				case 0: ParseOnly(f.p, f.b)
				case 1: f.tags.language.Run(f.b, time.Minute)
				case 2: f.all.language.Run(f.b, time.Minute)
				case 3: refs += len(Build(f.p, f.b).refs)
				}
			}
			m[k] = min(m[k], cpuSeconds()-c)
		}
	}
	fmt.Printf("%s %d files %d KB parse %.3f tags %.2f query %.2f build %.2f refs %d KB\n", root, len(files), size>>10, m[0], m[1]/m[0], m[2]/m[0], m[3]/m[0], refs>>10/10)
	}
}
