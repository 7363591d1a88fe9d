package cli

import (
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

func checkResult() wire.CheckResult {
	at := wire.Lines{3, 3}
	return wire.CheckResult{
		Scanned: wire.Scanned{Files: 1204, Binary: 2, Problems: []wire.Problem{{Path: "p.md", Reason: "permission denied"}}}, Excluded: 1, Total: 9, Next: 4,
		Counts: wire.CheckCounts{Verified: 5, Relocated: 3, Lost: 1, Ignored: 2, Fixed: 1, Unfixed: 1},
		Addresses: []wire.CheckedAddress{
			{Path: "a b.md", Lines: at, Note: "where it stands", Outcome: wire.Outcome{
				Address: "repo:m.py --lines 4:5@07407f1c", Outcome: wire.Lost, Error: &wire.ErrorData{Message: "gone\nfor good \x1b[31m"}}},
			{Path: "n.md", Lines: at, Fixed: "repo:m.py --lines 6:7@07407f1c", Outcome: wire.Outcome{Address: "repo:m.py --lines 4:5@07407f1c", Outcome: wire.Relocated}},
			{Path: "n.md", Lines: at, Note: "not fixed", Outcome: wire.Outcome{
				Address: "repo:m.py --lines 4:5@07407f1c", Outcome: wire.Relocated, Live: &wire.Live{Address: "repo:m.py --lines 6:7@07407f1c"}, Identity: "content", Copies: 3}},
			{Path: "n.md", Lines: at, Outcome: wire.Outcome{
				Address: "repo:m.py --lines 1:2@07407f1c", Outcome: wire.Lost, Error: &wire.ErrorData{Message: "a long way", Became: &wire.Became{
					Kind: wire.Edited, Address: "repo:m.py --lines 1:3@b7e1cc67", Surviving: 1, Of: 2}}}},
			{Path: "n.md", Lines: at, Outcome: wire.Outcome{Address: "repo:n.py --lines 4:5@07407f1c", Outcome: wire.Verified}},
		},
	}
}

func TestCheck(t *testing.T) {
	f := daemon(t, map[string]any{wire.MethodCheck: checkResult()})
	out, errs, code := ctx("check", "--fix", "docs", "a b.md", "--limit", "4")
	want := `repo:a%20b.md:L3: lost repo:m.py --lines 4:5@07407f1c: gone; for good \x1b[31m
    note: where it stands
repo:n.md:L3: fixed repo:m.py --lines 4:5@07407f1c → repo:m.py --lines 6:7@07407f1c
repo:n.md:L3: relocated repo:m.py --lines 4:5@07407f1c → repo:m.py --lines 6:7@07407f1c (identity: content · one of 3 equal regions)
    note: not fixed
repo:n.md:L3: lost repo:m.py --lines 1:2@07407f1c: edited: now repo:m.py --lines 1:3@b7e1cc67 (1 of 2 lines survive)
repo:n.md:L3: verified repo:n.py --lines 4:5@07407f1c
addresses: 9 · 5 verified · 3 relocated · 1 fixed · 1 not fixed · 1 lost · 2 ignored
scanned: 1,204 files · skipped: 1 excluded by ctx.toml, 2 binary
  unreadable: repo:p.md: permission denied
next: ctx check docs 'a b.md' --limit 4 --after 4
`
	if out != want || errs != "" || code != 3 {
		t.Errorf("got\n%s%s exit %d, want\n%s", out, errs, code, want)
	}
	if p := asked[wire.CheckParams](t, f); !p.Fix || p.Limit != 4 || p.Root == "" || !slices.Equal(p.Paths, []string{"repo:client/cli/docs", "repo:client/cli/a%20b.md"}) {
		t.Errorf("asked %+v", p)
	}
	if out, _, code := ctx("check", "--json"); code != 3 || !strings.Contains(out, `"unfixed": 1`) {
		t.Errorf("%s exit %d", out, code)
	}
	if _, errs, code := ctx("check", "--limit", "-1"); code != 2 || !strings.Contains(errs, "count from 0") {
		t.Errorf("%s exit %d", errs, code)
	}
}

// The exit status is the worst of what was found.
func TestCheckStatus(t *testing.T) {
	for _, c := range []struct {
		counts wire.CheckCounts
		want   int
	}{
		{wire.CheckCounts{}, 0}, {wire.CheckCounts{Verified: 1, Relocated: 2, Ignored: 3, Fixed: 2}, 0}, {wire.CheckCounts{Error: 1}, 2},
		{wire.CheckCounts{Relocated: 1, Unfixed: 1}, 2}, {wire.CheckCounts{Lost: 1, Error: 1, Unfixed: 1}, 3},
	} {
		daemon(t, map[string]any{wire.MethodCheck: wire.CheckResult{Counts: c.counts}})
		if _, errs, code := ctx("check"); code != c.want || errs != "" {
			t.Errorf("%+v: exit %d %s", c.counts, code, errs)
		}
	}
}
