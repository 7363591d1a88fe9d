package daemon

import (
	"context"

	"ctxd/client/wire"
	"ctxd/index"
)

// maxTypeHops bounds how many names are followed for one type: a variable of the type of another, the result of a function.
const maxTypeHops = 8

// TypeAt is the definition of the type of what stands at an offset, where the syntax tells it: var x T, x := T{}, x: T,
// x = f() with f's result written. Types are not computed: of an element, of a call of what is no function, of an
// expression, nothing is said, nor where one of several definitions of a name on the way does not tell it.
func (ws *Workspace) TypeAt(ctx context.Context, path string, offset int) ([]Found, error) {
	return upToDate(ctx, ws, asking{}, func(snap *Snapshot) ([]Found, error) {
		x := &typeSearch{ws: ws, ctx: ctx, snap: snap}
		t, err := ws.text(ctx, path)
		if err == nil {
			err = x.at(t, offset, anyForm, maxTypeHops)
		}
		if x.lost {
			return nil, err
		}
		return x.found.all, err
	})
}

// typeSearch follows names to the type that they stand for.
type typeSearch struct {
	ws    *Workspace
	ctx   context.Context
	snap  *Snapshot
	found distinct
	told  int  // how many names were followed to a type
	lost  bool // one was not
}

// form is how a name stands for a type, which says what kinds of definition it may be of.
type form uint8

const (
	anyForm   form = iota // it is asked about
	valueForm             // its value is taken: of a function that is the function, which has no type of its own
	callForm              // it is called: what a function returns, or an object of a type
)

// at adds the types that the name at an offset of a text stands for.
func (x *typeSearch) at(t *Text, offset int, as form, hops int) error {
	m, err := x.ws.means(x.ctx, x.snap, t, offset)
	if err != nil || m == nil || hops == 0 {
		return err
	}
	if len(m.Definitions) == 0 && !m.Outside { // this and self are defined nowhere
		return x.written(t, offset, hops)
	}
	if m.Tier == wire.TierName {
		return nil
	}
	for _, d := range m.Definitions {
		at, before := int(d.Def.NameStart), x.told
		switch kind := d.Def.Kind; {
		case d.Facts == nil: // a local, which may have another type where its name is bound again
			if as != callForm {
				err = x.written(t, offset, hops)
			}
		case isType(kind):
			if !index.Reassigned(d.Text.Path, d.Text.Src(), at) {
				x.add(d)
			}
		case kind == index.Constructor:
			if owner, ok := Enclosing(d.Facts, at, int(d.Def.NameEnd)); ok && isType(owner.Kind) {
				x.add(Found{d.Text, d.Facts, owner})
			}
		case (kind == index.Function || kind == index.Method) == (as == callForm) || as == anyForm:
			err = x.written(d.Text, at, hops)
		}
		if err != nil {
			return err
		}
		if x.told == before { // it may be this one: the others alone are no answer
			x.lost = true
			return nil
		}
	}
	return nil
}

// written follows the name of the type that a text tells of what stands at an offset.
func (x *typeSearch) written(t *Text, offset, hops int) error {
	at, called, ok := index.TypePlace(t.Path, t.Src(), offset)
	if !ok {
		return nil
	}
	as := valueForm
	if called {
		as = callForm
	}
	return x.at(t, int(at.Start), as, hops-1)
}

func (x *typeSearch) add(d Found) {
	x.told++
	x.found.add(d)
}

func isType(k index.Kind) bool {
	switch k {
	case index.Class, index.Struct, index.Interface, index.Trait, index.Enum, index.Union, index.Type:
		return true
	}
	return false
}
