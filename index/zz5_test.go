package index
import ("testing";"os";"path/filepath")
func TestZZProf(t *testing.T) {
	var ps []string; var bs [][]byte
	filepath.WalkDir("/tmp/trees/core", func(p string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() { if l := languageOf(p, nil); l != nil && l.ownThis { b, _ := os.ReadFile(p); ps = append(ps, p); bs = append(bs, b) } }
		return nil
	})
	for range 15 { for i := range ps { Build(ps[i], bs[i]) } }
}
