package index
import ("testing";"fmt")
func TestZZOne(t *testing.T) {
	w := newDisk("/tmp/trees/core")
	r := NewResolver(w)
	p := "packages/compiler-core/__tests__/codegen.spec.ts"
	f := w.File(p)
	for _, ref := range f.Refs("PatchFlags")[:1] {
		fmt.Println(viaText(f, ref.Via))
		fmt.Println(r.Resolve(p, f, ref, "PatchFlags"))
		x := &lookup{Resolver: r, l: languageNamed(f.Language), from: p, f: f}
		pl, v := x.find("@vue/shared")
		fmt.Println(pl, v)
		fmt.Println(x.in(pl, "PatchFlags", 0))
		q := "packages/shared/src/patchFlags.ts"
		g := w.File(q)
		for _, d := range g.Defs { fmt.Println(d.Qualified(), d.Kind, groupOf(g, &d)) }
		for _, m := range w.File(pl.Files[0]).Imports { fmt.Printf("%+v\n", m) }
	}
}
