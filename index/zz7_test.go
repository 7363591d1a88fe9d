package index
import ("testing";"os";"path/filepath";"fmt";"time";"sort")
func TestZZCount(t *testing.T) {
	n := map[string]map[uint32]int{}
	filepath.WalkDir("/tmp/trees/core", func(p string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() { if l := languageOf(p, nil); l != nil && l.name == "typescript" { b, _ := os.ReadFile(p); q, _ := l.load()
			if n[l.name] == nil { n[l.name] = map[uint32]int{} }
			for _, c := range q.language.Run(b, time.Minute).Captures { n[l.name][c.Pattern]++ } } }
		return nil
	})
	q, _ := languageNamed("typescript").load()
	var ids []int
	for id := range n["typescript"] { ids = append(ids, int(id)) }
	sort.Slice(ids, func(i, j int) bool { return n["typescript"][uint32(ids[i])] > n["typescript"][uint32(ids[j])] })
	for _, id := range ids[:28] { fmt.Println(n["typescript"][uint32(id)], q.language.Patterns()[id].Line) }
}
