package daemon

import (
	"encoding/json"

	"ctxd/client/wire"
)

// whereabouts is what there is to tell of an address: where its content is, or what became of it.
type whereabouts struct {
	live   bool
	path   string // of a live one
	lines  wire.Lines
	edited bool   // of a gone one: it became something that is known
	became string // and what, as JSON
}

// wirePath is one string for a path in its two fields.
func wirePath(display, exact string) string { return display + "\x00" + exact }

func whereaboutsOf(o *wire.Outcome) whereabouts {
	if (o.Outcome == wire.Verified || o.Outcome == wire.Relocated) && o.Lines != nil {
		return whereabouts{live: true, path: wirePath(o.Path, o.PathBase64), lines: *o.Lines}
	}
	if o.Error == nil || o.Error.Became == nil {
		return whereabouts{}
	}
	advice, _ := json.Marshal(o.Error.Became) // plain data
	return whereabouts{edited: o.Error.Became.Kind == wire.Edited, became: string(advice)}
}

// change is what to tell when the state of an address was before and is now that of o.
func (before whereabouts) change(address string, o *wire.Outcome) (c wire.AnchorChange, now whereabouts) {
	now = whereaboutsOf(o)
	c = wire.AnchorChange{Address: address, Path: o.Path, PathBase64: o.PathBase64, Live: o.Live, Error: o.Error}
	if before.live {
		from := before.lines
		c.From = &from
	}
	switch {
	case now.live && before.live:
		c.Kind, c.Lines = wire.Moved, o.Lines
	case now.live:
		c.Kind, c.Lines = wire.Restored, o.Lines
	case now.edited:
		c.Kind = wire.Edited
	default:
		c.Kind = wire.Lost
	}
	return c, now
}
