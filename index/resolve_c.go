package index

import (
	"path"
	"slices"
	"strings"
)

// resolverC binds what C and C++ name. A file knows what it includes; there a name is looked up by the rules of C, or
// of C++ in resolve_cpp.go. Nothing is said to be elsewhere: prototypes stand in macros that are not read, headers
// are generated, and some only make sense behind those that were included before them.
var resolverC = &resolver{find: findC, respell: respellC, includes: true}

func init() { resolverC.look = lookC } // which asks the registry for the language of other files

// findC resolves an include: beside the file first, unless it is in <>, then any file whose path ends so, the nearest
// when there are several. Of equally near ones none is certain to be it, nor is one of several where the include is in <>:
// the command that compiles the file says which, and the file's own directory is the least likely (redis' cli includes
// hiredis' <sds.h>, with its own sds.h beside it).
func findC(w World, from string, f *File, included string) (Place, Verdict) {
	name, library := strings.CutPrefix(included, "<")
	name = path.Clean(strings.TrimSuffix(name, ">"))
	if strings.HasPrefix(included, "::") || strings.HasPrefix(name, "/") {
		return Place{}, Open
	}
	named := w.Named(path.Base(name))
	if beside := path.Join(dirOf(from), name); !library && slices.Contains(named, beside) {
		return Place{Files: []string{beside}}, Bound
	}
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	best, near, many := "", -1, false
	for _, p := range named {
		if p == from || p != name && !strings.HasSuffix(p, "/"+name) || library && standardC(name) && !inInclude(p, name) {
			continue
		}
		switch n := sharedDirs(p, from); {
		case n > near:
			best, near, many = p, n, library && best != ""
		case n == near || library:
			many = true
		}
	}
	if best == "" || many {
		return Place{}, Open
	}
	return Place{Files: []string{best}}, Bound
}

// sharedDirs counts the directories from the root that two paths have in common.
func sharedDirs(a, b string) int {
	n := 0
	for {
		i, j := strings.IndexByte(a, '/'), strings.IndexByte(b, '/')
		if i < 0 || j < 0 || a[:i] != b[:j] {
			return n
		}
		a, b, n = a[i+1:], b[j+1:], n+1
	}
}

// inInclude says whether a header stands directly in a directory for that, as those of a C library do.
func inInclude(p, name string) bool {
	return path.Base(strings.TrimSuffix(strings.TrimSuffix(p, name), "/")) == "include"
}

// standardC says whether <name> is a header of C or POSIX. Trees have files of those names that are not meant by it:
// jemalloc's internal/assert.h.
func standardC(name string) bool {
	switch strings.TrimSuffix(name, ".h") {
	case "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math", "setjmp",
		"signal", "stdalign", "stdarg", "stdatomic", "stdbit", "stdbool", "stdckdint", "stddef", "stdint", "stdio", "stdlib",
		"stdnoreturn", "string", "tgmath", "threads", "time", "uchar", "wchar", "wctype",
		"aio", "cpio", "dirent", "dlfcn", "endian", "fcntl", "fmtmsg", "fnmatch", "ftw", "glob", "grp", "iconv", "langinfo",
		"libgen", "malloc", "memory", "monetary", "mqueue", "ndbm", "netdb", "nl_types", "poll", "pthread", "pwd", "regex",
		"sched", "search", "semaphore", "spawn", "strings", "stropts", "syslog", "tar", "termios", "trace", "ulimit",
		"unistd", "utime", "utmpx", "wordexp", "getopt", "ucontext", "alloca", "execinfo", "features":
		return true
	}
	return false
}

// class of names, of which C keeps several apart.
type class uint8

const (
	anyClass class = iota
	tagClassC
	ordinaryC
)

// lookC looks a name up among what the file includes.
func lookC(x *lookup, s sought, hops int) ([]Symbol, Verdict) {
	switch s.via.Root {
	case RootFile, RootFree:
	case RootUnknown:
		return nil, Open
	default:
		s = x.used(s)
	}
	p, tagged := strings.CutPrefix(s.via.Path, tagPath)
	if tagged = tagged && (p == "" || p[0] == '.'); tagged {
		p = strings.TrimPrefix(p, ".")
	} else {
		p = s.via.Path
	}
	if s.role == Declaration {
		return x.redeclared(s)
	}
	if x.f.Language == "cpp" {
		found, verdict := x.lookCPlusPlus(s, p, tagged, hops)
		if verdict == Bound && s.role == Call {
			if found = x.callable(found, s.at); len(found) == 0 {
				return nil, Open // an overload that is not seen
			}
		}
		return found, verdict
	}
	s.at = 0 // in C a file has each name once
	key := inFile{x.from, s}
	known, ok := x.answers[key]
	if !ok {
		known.found, known.verdict = x.lookPlainC(s, p, tagged, hops)
		x.answers[key] = known
	}
	return known.found, known.verdict
}

func (x *lookup) lookPlainC(s sought, p string, tagged bool, hops int) ([]Symbol, Verdict) {
	if s.via.Root == RootFile && p != "" && !tagged {
		if own := x.qualified(x.home(), join(p, s.name)); own != nil {
			return x.sort(own, ordinaryC)
		}
	}
	names := strings.Split(join(p, s.name), ".")
	var found []Symbol
	for i, name := range names {
		verdict := Open
		if i == 0 {
			found, verdict = x.plainC(name, tagged)
		} else {
			found, verdict = x.throughC(found, name, hops+1)
		}
		if verdict != Bound {
			return nil, verdict
		}
	}
	return found, Bound
}

// plainC looks up a name that no other stands before: among all but members.
func (x *lookup) plainC(name string, tagged bool) ([]Symbol, Verdict) {
	var found []Symbol
	for _, p := range x.home() {
		found = append(found, x.named(p, name)...)
	}
	if tagged {
		return x.sort(found, tagClassC)
	}
	return x.sort(found, ordinaryC)
}

// named lists the definitions of that name in a file that are no members.
func (r *Resolver) named(file, name string) []Symbol {
	key := [2]string{file, name}
	found, ok := r.bare[key]
	if ok {
		return found
	}
	if f := r.w.File(file); f != nil {
		for i := range f.Defs {
			if d := &f.Defs[i]; d.Name == name && !d.Kind.member() {
				found = append(found, Symbol{file, i})
			}
		}
	}
	r.bare[key] = found
	return found
}

// sort leaves of the definitions those of a class, all when there are none: a typedef that a macro makes is not seen.
func (x *lookup) sort(found []Symbol, of class) ([]Symbol, Verdict) {
	if len(found) == 0 {
		return nil, Open
	}
	var kept []Symbol
	for _, s := range found {
		if d := x.def(s); d.isTag() == (of == tagClassC) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		if of == tagClassC {
			return nil, Open
		}
		kept = found
	}
	if x.declaredOnly(kept) || x.contradict(kept) {
		return nil, Open
	}
	return kept, Bound
}

// contradict: several files define it, and no file can see all: two headers of one name, a macro here and there. Which
// one it is, the order of the includes says, and what conditions hold.
func (x *lookup) contradict(found []Symbol) bool {
	file := ""
	macro := slices.IndexFunc(found, func(s Symbol) bool { return x.def(s).Kind == Macro })
	for _, s := range found {
		d := x.def(s)
		if macro >= 0 && s.Path != found[macro].Path {
			return true // a macro here, and a declaration there: of a function that it takes the place of
		}
		if d.Kind == Variable || d.Kind == Function && d.SigEnd+2 >= d.End {
			continue // may be a declaration
		}
		if _, alias := x.typeOf(s); d.Kind == Type && alias {
			continue // typedef struct a a, said twice
		}
		if file != "" && file != s.Path {
			return true
		}
		file = s.Path
	}
	return false
}

func (x *lookup) def(s Symbol) *Def { return &x.w.File(s.Path).Defs[s.Def] }

// isTag: struct s, union u, enum e. What a typedef names is none, though it may be the only name of a struct.
func (d *Def) isTag() bool {
	return (d.Kind == Struct || d.Kind == Union || d.Kind == Enum || d.Kind == Class) && d.NameEnd <= d.SigEnd
}

// declaredOnly: prototypes in files that nobody includes. Whose function it is, the tree may say somewhere else.
func (x *lookup) declaredOnly(found []Symbol) bool {
	for _, s := range found {
		d := x.def(s)
		if d.Kind != Function || d.SigEnd+2 < d.End || headerC(s.Path) {
			return false
		}
	}
	return true
}

func headerC(file string) bool {
	switch path.Ext(file) {
	case ".c", ".cc", ".cpp", ".cxx", ".c++":
		return false
	}
	return true
}

// redeclared lists a definition with the prototypes, the external declarations and the variants of the same name.
func (x *lookup) redeclared(s sought) ([]Symbol, Verdict) {
	found := x.qualified(x.home(), join(s.via.Path, s.name))
	var self *Def
	for _, o := range found {
		if d := x.def(o); o.Path == x.from && d.NameStart == s.at {
			self = d
		}
	}
	if self == nil {
		return nil, Open
	}
	var same []Symbol
	for _, o := range found {
		if d := x.def(o); d.isTag() == self.isTag() && kindOfC(d) == kindOfC(self) {
			same = append(same, o)
		}
	}
	if x.f.Language == "cpp" && self.Kind.local() {
		same = x.sameOverload(same, s.at)
	}
	return same, Bound
}

// kindOfC: what can be declared as one and defined as the other.
func kindOfC(d *Def) Kind {
	switch d.Kind {
	case Method, Constructor:
		return Function
	case Field, Constant:
		return Variable
	case Class:
		return Struct
	}
	return d.Kind
}

// throughC looks a member up in what definitions define, by the type that they are declared with if they are no types.
func (x *lookup) throughC(of []Symbol, name string, hops int) ([]Symbol, Verdict) {
	if hops > 2*maxHops {
		return nil, Open
	}
	for _, s := range of {
		f := x.w.File(s.Path)
		if found := x.qualified([]string{s.Path}, join(f.Defs[s.Def].Qualified(), name)); found != nil {
			return found, Bound
		}
		via, ok := x.typeOf(s)
		if !ok {
			continue
		}
		to := sought{via, name, Read, f.Defs[s.Def].Start}
		inner := x.of(s.Path)
		if found, verdict := inner.look(to, hops+1); verdict == Bound {
			return found, Bound
		}
		if via.Root == RootFree || via.Root == RootFile { // the header leaves the type to whoever includes it
			if found, verdict := x.look(to, hops+1); verdict == Bound {
				return found, Bound
			}
		}
	}
	return nil, Open
}
