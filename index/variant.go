package index

import (
	"path"
	"slices"
	"strings"
)

// Variant is what Build takes from a path: for equal bytes and equal variants it returns equal
// files, whatever the paths are. It is the lower-case extension where a language has that (".go/"),
// "#!" for names without one, "" where no bytes make a language of it; and after a slash the module
// of each language that takes it from the path (".py/a.b"). So it is short, and the same in every
// worktree of a repository.
//
// It is not the language, which may depend on the bytes too (.h, #! lines).
func Variant(name string) string {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	class, modules := "", ""
	if Undecided(name) {
		class = "#!"
	}
	for _, l := range languages {
		named := slices.Contains(l.filenames, base)
		extended := ext != "" && slices.Contains(l.extensions, ext)
		switch {
		case named:
			class = "=" + base // decides over extension and program, and has both
		case extended && class == "":
			class = ext
		case !extended && (class != "#!" || l.programs == nil):
			continue
		}
		// The class says how many modules there are, and none holds a slash: see modulePath.
		if l.module != nil {
			modules += "/" + l.module(name, "")
		}
	}
	return class + modules
}
