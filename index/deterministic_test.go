package index

import (
	"reflect"
	"strings"
	"sync"
	"testing"
)

// The same bytes, the same answer: whatever files are described at the same time, and whatever was
// before. The scanner of Lua keeps its state in global variables.
func TestDeterministic(t *testing.T) {
	files := archived(t)
	lua := "local a = [==[\n" + strings.Repeat("x = ']]' \"\n", 50) + "]==]\nfunction f() return [[\n]] end\nfunction g() end\n"
	var first []*File
	sources := [][]byte{}
	for _, f := range files {
		sources = append(sources, unescape(f.Data))
	}
	for i := range 40 {
		files = append(files, files[0])
		files[len(files)-1].Name = "a.lua"
		sources = append(sources, []byte(strings.Repeat(lua, 1+i%7)+strings.Repeat("s = 'open\n", i%3)))
	}
	for i := range files {
		first = append(first, Build(files[i].Name, sources[i]))
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range files {
				i = (i*7 + n*len(files)/8) % len(files)
				if got := Build(files[i].Name, sources[i]); !reflect.DeepEqual(got, first[i]) {
					t.Errorf("%s: %d definitions and %d errors; alone %d and %d", files[i].Name,
						len(got.Defs), len(got.Errors), len(first[i].Defs), len(first[i].Errors))
				}
			}
		})
	}
	all.Wait()
}
