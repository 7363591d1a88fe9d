package index

import "testing"

// TestGroups: what two callbacks define under one name is told apart, and nobody reaches it from outside.
func TestGroups(t *testing.T) {
	src := "a(() => { function f() {} f() })\nb(() => { function f() {} f() })\nmodule.exports = { g() {} }\nc({ g() {} })\n"
	w := &archiveWorld{bytes: map[string][]byte{"m.js": []byte(src), "n.js": []byte("import { f, g } from './m'\nf; g\n")},
		paths: []string{"m.js", "n.js"}, built: map[string]*File{}}
	f := w.File("m.js")
	r := NewResolver(w)
	calls := 0
	for _, ref := range f.Refs("f") {
		found, verdict := r.Resolve("m.js", f, ref, "f")
		if verdict != Bound || len(found) != 1 || lineOf([]byte(src), f.Defs[found[0].Def].NameStart) != lineOf([]byte(src), ref.Start) {
			t.Errorf("f at %d: %v %v", ref.Start, found, verdict)
		}
		if ref.Role == Call {
			calls++
		}
	}
	if calls != 2 {
		t.Errorf("%d calls of f, want 2", calls)
	}
	n := w.File("n.js")
	for _, ref := range n.Refs("f") {
		if found, verdict := r.Resolve("n.js", n, ref, "f"); verdict != Open {
			t.Errorf("imported f is %v %v, want Open: the module has none", found, verdict)
		}
	}
	for _, ref := range n.Refs("g") {
		if found, verdict := r.Resolve("n.js", n, ref, "g"); verdict != Bound || len(found) != 1 || lineOf([]byte(src), f.Defs[found[0].Def].Start) != 3 {
			t.Errorf("imported g is %v %v, want the one that the module exports", found, verdict)
		}
	}
}
