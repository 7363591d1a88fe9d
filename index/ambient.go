package index

import "slices"

// declare module "x" { … } says what a module has that need not be in the tree. An import does not tell in which files that
// stands: whoever resolves says so.

// MayBeAmbient says whether what files of a language import may be declared in files of that kind.
func MayBeAmbient(language string) bool {
	l := languageNamed(language)
	return l != nil && l.exportsApart
}

// AmbientModules lists the modules that a file of TypeScript declares, in the order of their first declaration.
func (f *File) AmbientModules() (modules []string) {
	if l := languageNamed(f.Language); l == nil || !l.typeNames {
		return nil
	}
	for i := range f.Defs {
		if d := &f.Defs[i]; d.Kind == Module && d.Container == "" && !slices.Contains(modules, d.Name) {
			modules = append(modules, d.Name)
		}
	}
	return modules
}

// Declares says that files, sorted, declare a module. It holds where the tree itself has no such module, and is to be said
// before anything is resolved.
func (r *Resolver) Declares(module string, files []string) {
	if r.ambient == nil {
		r.ambient = map[string][]string{}
	}
	r.ambient[module] = files
}
