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
	s := whereabouts{}
	s.became, s.edited = became(o.Error)
	return s
}

// became is the advice of a refusal, as JSON, and whether it says that the content was edited.
func became(d *wire.ErrorData) (advice string, edited bool) {
	if d == nil {
		return "", false
	}
	text, err := json.Marshal(d)
	if err != nil {
		return "", false
	}
	var of struct {
		Became json.RawMessage `json:"became"`
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if json.Unmarshal(text, &of) != nil || of.Became == nil || json.Unmarshal(of.Became, &kind) != nil {
		return "", false
	}
	return string(of.Became), kind.Kind == wire.Edited
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
		c.Kind = wire.Gone
	}
	return c, now
}
