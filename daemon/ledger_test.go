package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// ledgered asks the ledger, which must answer.
func (h *holder) ledgered(p wire.LedgerParams) *wire.LedgerResult {
	h.t.Helper()
	p.Root = h.root
	res, err := h.Ledger(h.t.Context(), p)
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

// TestLedger: what every kind of answer gave on this connection is remembered, and what became of it told, since it was
// given or since a clock.
func TestLedger(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile, "n.py": "x = 1\ny = alpha()\n"})
	common := wire.Common{Root: ws.Root}
	h, other := connect(), connect()
	ctx := t.Context()
	if _, err := h.Def(ctx, wire.DefParams{Common: common, Target: "repo:m.py:beta"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Search(ctx, wire.SearchParams{Common: common, Patterns: []string{"alpha", "x = "}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Get(ctx, wire.GetParams{Common: common, Ref: "repo:m.py", Lines: "4:5"}); err != nil {
		t.Fatal(err) // a second time
	}
	first := h.ledgered(wire.LedgerParams{})
	if len(first.Changes) != 0 || first.Given != 4 || first.Fresh || first.Cut != 0 {
		t.Errorf("%+v", first)
	}
	path := filepath.Join(ws.Root, "m.py")
	write(t, path, "# new\n"+seedFile)
	moved := h.ledgered(wire.LedgerParams{})
	same(t, briefly(moved.Changes), beta+" moved from 4:5 to 5:6 repo:m.py --lines 5:6@07407f1c", "repo:m.py --lines 1:1@"+tagOf("def alpha():")+" moved from 1:1 to 2:2 repo:m.py --lines 2:2@"+tagOf("def alpha():"))
	if got := h.ledgered(wire.LedgerParams{Since: moved.Clock}); len(got.Changes) != 0 {
		t.Errorf("%v", briefly(got.Changes))
	}
	same(t, briefly(h.ledgered(wire.LedgerParams{Since: first.Clock}).Changes), briefly(moved.Changes)...)

	// Page by page; an old clock and none.
	page := h.ledgered(wire.LedgerParams{Limit: 1})
	rest := h.ledgered(wire.LedgerParams{Limit: 1, After: page.Next})
	same(t, briefly(slices.Concat(page.Changes, rest.Changes)), briefly(moved.Changes)...)
	if page.Total != 2 || rest.Next != 0 {
		t.Errorf("%d, %d", page.Total, rest.Next)
	}
	for _, clock := range []string{"x", "0.1", strings.Split(moved.Clock, ".")[0] + ".99", strings.Split(moved.Clock, ".")[0] + ".01", other.ledgered(wire.LedgerParams{}).Clock} {
		if got := h.ledgered(wire.LedgerParams{Since: clock}); !got.Fresh || len(got.Changes) != 2 {
			t.Errorf("%s: %+v", clock, got)
		}
	}

	// Gone, and back: told since a clock, and nothing since it was given.
	before := h.ledgered(wire.LedgerParams{})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	gone := h.ledgered(wire.LedgerParams{Since: before.Clock})
	if len(gone.Changes) != 2 || gone.Changes[0].Lines != nil || gone.Changes[0].Error == nil || *gone.Changes[0].From != (wire.Lines{4, 5}) {
		t.Errorf("%+v", gone.Changes)
	}
	write(t, path, seedFile)
	back := h.ledgered(wire.LedgerParams{Since: gone.Clock})
	same(t, briefly(back.Changes), beta+" restored from 4:5 to 4:5", "repo:m.py --lines 1:1@"+tagOf("def alpha():")+" restored from 1:1 to 1:1")
	if got := h.ledgered(wire.LedgerParams{}); len(got.Changes) != 0 {
		t.Errorf("%v", briefly(got.Changes))
	}
	// What others were given is theirs.
	if got := other.ledgered(wire.LedgerParams{}); got.Given != 0 {
		t.Errorf("%+v", got)
	}
	for _, p := range []wire.LedgerParams{{Limit: -1}, {After: -1}, {Limit: maxLedger + 1}} {
		p.Root = ws.Root
		if _, err := h.Ledger(ctx, p); word(err) != wire.InvalidRequest {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// TestLedgerCut: of too many addresses the oldest are forgotten, and that is said.
func TestLedgerCut(t *testing.T) {
	l := newLedger()
	for i := range 2*maxGiven + 10 {
		l.add([]string{fmt.Sprint("a", i), fmt.Sprint("a", i)})
		if len(l.order) > 2*maxGiven+2 {
			t.Fatalf("%d are kept", len(l.order))
		}
	}
	l.trim()
	if len(l.order) != maxGiven || l.cut != maxGiven+10 || l.order[0] != fmt.Sprint("a", maxGiven+10) || l.order[maxGiven-1] != fmt.Sprint("a", 2*maxGiven+9) {
		t.Errorf("%d from %s to %s, %d cut", len(l.order), l.order[0], l.order[len(l.order)-1], l.cut)
	}
}

// TestSubscribeGiven: all that was given on a connection, and all that will be.
func TestSubscribeGiven(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	common := wire.Common{Root: ws.Root}
	h := connect()
	get := func(lines string) {
		t.Helper()
		if _, err := h.Get(t.Context(), wire.GetParams{Common: common, Ref: "repo:m.py", Lines: lines}); err != nil {
			t.Fatal(err)
		}
	}
	get("4:5")
	if res := h.hold(wire.SubscribeParams{Given: true}); res.Held != 1 {
		t.Errorf("%d held", res.Held)
	}
	get("8:8")
	write(t, filepath.Join(ws.Root, "m.py"), "# new\n"+seedFile)
	want := []string{beta + " moved from 4:5 to 5:6 repo:m.py --lines 5:6@07407f1c",
		"repo:m.py --lines 8:8@" + tagOf("    return 3") + " moved from 8:8 to 9:9 repo:m.py --lines 9:9@" + tagOf("    return 3")}
	same(t, briefly(h.news()), want...)
}

// tagOf is the anchor of one line.
func tagOf(line string) string {
	return anchors.NewTable([]byte(line)).Digest(anchors.Span{First: 1, Last: 1}).Anchor().String()
}
