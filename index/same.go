package index

import "bytes"

// Linked says whether two definitions of C or C++ may be one to the linker, though neither file includes what declares
// the other: functions or variables of one name, neither of them static.
func (r *Resolver) Linked(a, b Symbol) bool {
	f, g := r.w.File(a.Path), r.w.File(b.Path)
	if f == nil || g == nil || !related(f.Language, f.Language) || !related(f.Language, g.Language) || a.Def >= len(f.Defs) || b.Def >= len(g.Defs) {
		return false
	}
	d, e := &f.Defs[a.Def], &g.Defs[b.Def]
	return d.Name == e.Name && d.Container == e.Container && (d.Kind == Function || d.Kind == Variable) && kindOfC(d) == kindOfC(e) &&
		!r.static(a.Path, d) && !r.static(b.Path, e) && !r.differ([]Symbol{a, b})
}

func (r *Resolver) static(path string, d *Def) bool {
	src := r.w.Read(path)
	return int(d.SigEnd) > len(src) || bytes.HasPrefix(src[d.SigStart:], []byte("static"))
}
