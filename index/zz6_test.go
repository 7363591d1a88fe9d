package index
import ("testing";"os";"path/filepath";"fmt")
func TestZZRatio(t *testing.T) {
	for _, root := range []string{"/tmp/trees/core", "/tmp/trees/prometheus/web/ui", "/tmp/trees/prometheus/tsdb"} {
	var ps []string; var bs [][]byte
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() { if l := languageOf(p, nil); l != nil && (l.name == "javascript" || l.name == "typescript" || l.name == "tsx" || l.name == "go") { b, _ := os.ReadFile(p); if len(b) < 1<<20 { ps = append(ps, p); bs = append(bs, b) } } }
		return nil
	})
	for i := range ps[:20] { Build(ps[i], bs[i]) }
	m := [2]float64{1e9,1e9}
	for range 12 {
		c := cpuSeconds()
		for i := range ps { ParseOnly(ps[i], bs[i]) }
		m[0] = min(m[0], cpuSeconds()-c)
		c = cpuSeconds()
		for i := range ps { Build(ps[i], bs[i]) }
		m[1] = min(m[1], cpuSeconds()-c)
	}
	fmt.Printf("%s parse %.3f build %.3f ratio %.2f\n", root, m[0], m[1], m[1]/m[0])
	}
}
