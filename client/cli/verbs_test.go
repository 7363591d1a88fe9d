package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxd/client/wire"
)

func TestResolve(t *testing.T) {
	results := wire.ResolveResult{Outcomes: []wire.Outcome{
		{Address: "repo:m.py --lines 4:5@07407f1c", Outcome: wire.Verified},
		{Address: "repo:n.py --lines 1:2@b7e1cc67", Outcome: wire.Relocated, Lines: &wire.Lines{3, 4}, Identity: "content", Copies: 2, Checked: "short", Windows: 20001,
			Live: &wire.Live{Address: "repo:n.py --lines 3:4@b7e1cc67"}},
		{Address: "repo:o.py --lines 1:2@b7e1cc67", Outcome: wire.Lost, Error: &wire.ErrorData{Message: "gone\nfor good"}},
	}}
	want := `verified repo:m.py --lines 4:5@07407f1c
relocated repo:n.py --lines 1:2@b7e1cc67 → repo:n.py --lines 3:4@b7e1cc67 (identity: content · one of 2 equal regions; checked: short · 8 digits over 20,001 windows)
lost repo:o.py --lines 1:2@b7e1cc67: gone; for good
`
	typed := "repo:m.py --lines 4:5@07407f1c\r\n\n  repo:n.py --lines 1:2@b7e1cc67\nctx get repo:o.py --lines 1:2@b7e1cc67"
	sent := []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.py --lines 1:2@b7e1cc67", "repo:o.py --lines 1:2@b7e1cc67"}
	file := filepath.Join(t.TempDir(), "addresses")
	if err := os.WriteFile(file, []byte(typed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-"}, {"--file", "-"}, {"--file=" + file},
		append([]string{}, sent...),
		strings.Fields(strings.Join(sent, " ")),
		{sent[0], "repo:n.py", "--lines=1:2@b7e1cc67", sent[2]},
	} {
		f := daemon(t, map[string]any{wire.MethodResolve: results})
		out, errs, code := ctxReading(typed, append([]string{"resolve"}, args...)...)
		if out != want || errs != "" || code != 3 {
			t.Errorf("%q: got\n%s%s exit %d", args, out, errs, code)
		}
		if got := asked[wire.ResolveParams](t, f).Addresses; strings.Join(got, "|") != strings.Join(sent, "|") {
			t.Errorf("%q: asked %q", args, got)
		}
	}
	daemon(t, map[string]any{wire.MethodResolve: results})
	out, _, code := ctxReading(typed, "resolve", "-", "--json")
	if !strings.HasPrefix(out, "{\n  \"outcomes\": [\n    {\n      \"address\": \"repo:m.py --lines 4:5@07407f1c\"") || code != 3 {
		t.Errorf("%s exit %d", out, code)
	}
	results.Outcomes = results.Outcomes[:1]
	daemon(t, map[string]any{wire.MethodResolve: results})
	if out, _, code := ctx("resolve", sent[0]); out != want[:strings.Index(want, "\n")+1] || code != 0 {
		t.Errorf("%s exit %d", out, code)
	}
	if _, errs, code := ctx("resolve", sent[0], sent[1]); code != 1 || !strings.Contains(errs, "1 outcomes for 2 addresses") {
		t.Errorf("%s exit %d", errs, code)
	}
	if _, errs, code := ctx("resolve"); code != 2 || !strings.Contains(errs, "addresses are missing") {
		t.Errorf("%s exit %d", errs, code)
	}
	if _, _, code := ctx("resolve", "--file", "/nonexistent"); code != 2 {
		t.Errorf("exit %d", code)
	}
	if _, errs, code := ctxReading(strings.Repeat("x", addressLimit+1), "resolve", "-"); code != 2 || !strings.Contains(errs, "after line 0") {
		t.Errorf("%s exit %d", errs, code)
	}
}

// A lost address is a no; one that cannot be looked at is a refusal, and says nothing about content.
func TestResolveExitStatus(t *testing.T) {
	for outcomes, want := range map[string]int{
		"verified relocated": 0, "verified error": 2, "error lost": 3, "lost error verified": 3, "error": 2, "of-the-future": 2, "lost": 3,
	} {
		var result wire.ResolveResult
		args := []string{"resolve"}
		for _, outcome := range strings.Fields(outcomes) {
			args = append(args, "repo:m.py --lines 4:5@07407f1c")
			result.Outcomes = append(result.Outcomes, wire.Outcome{Address: "a", Outcome: outcome})
		}
		daemon(t, map[string]any{wire.MethodResolve: result})
		for _, flags := range [][]string{nil, {"--json"}} {
			out, errs, code := ctx(append(args, flags...)...)
			if code != want || errs != "" || out == "" {
				t.Errorf("%s %q: exit %d, want %d: %s%s", outcomes, flags, code, want, out, errs)
			}
		}
	}
}

// More addresses than one request takes are asked about in several, and come back in order.
func TestResolveManyAddresses(t *testing.T) {
	var outcomes []wire.Outcome
	for range resolveBatch {
		outcomes = append(outcomes, wire.Outcome{Address: "a", Outcome: wire.Verified})
	}
	f := daemon(t, map[string]any{wire.MethodResolve: wire.ResolveResult{Outcomes: outcomes}})
	out, _, code := ctxReading(strings.Repeat("repo:a --lines 1:1@00000000\n", 2*resolveBatch), "resolve", "-")
	if n := strings.Count(out, "\n"); n != 2*resolveBatch || code != 0 {
		t.Errorf("%d lines, exit %d", n, code)
	}
	if n := len(f.params); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestOtherVerbs(t *testing.T) {
	f := daemon(t, map[string]any{
		wire.MethodStatus: wire.StatusResult{PID: 12, Socket: "/r/ctxd.sock", Version: "0.1.0", State: "/s", Workspaces: []wire.Workspace{
			{Root: "/w", Files: 1204, Parsed: 1200, Other: 4, Definitions: 9000, Freshness: "events", Watched: 1324, Unwatched: 2, Sweeps: 1,
				Unparsed: []wire.Problem{{Path: "a\x1b.py", Reason: "too large"}}, Unreadable: []wire.Problem{{Path: "b", Reason: "mode 000"}},
				Quarantined: []wire.Problem{{Path: "c\u202e", PathBase64: "Y/8=", Reason: "crashed the parser"}},
				Degraded:    []wire.Degraded{{Path: "d", Reason: "no events", Fix: "mount it otherwise"}, {Reason: "slow"}}},
			{Root: "/empty"}},
			Facts: wire.Facts{Bytes: 5 << 20, Hits: 1100, Built: 104, Stored: 103, Problem: "no space\x1b"}, Process: wire.Process{Goroutines: 1, Descriptors: 17, Resident: 3 << 19},
			Store: wire.Store{Blobs: 1, Bytes: 1536, Spans: 2, Damaged: []string{"x"}}},
		wire.MethodDoctor: wire.DoctorResult{Checks: []wire.Check{{Name: "store", Level: "ok", Message: "fine"},
			{Name: "config", Level: "error", Message: "unknown key", Fix: "remove it"}}},
		wire.MethodGC:  wire.GCResult{Removed: 1, RemovedBytes: 2048, Kept: 1204, KeptBytes: 3 << 20, Pinned: 2, Spans: 7},
		wire.MethodPin: wire.PinResult{Blob: strings.Repeat("ab", 32), Path: "m.py"},
	})
	for _, tt := range []struct {
		line string
		want string
		code int
	}{
		{"status", `ctxd 0.1.0 · pid 12
socket: /r/ctxd.sock
state: /s
process: 1.5 MiB resident · 1 goroutine · 17 descriptors
workspace: /w
  files: 1,204 · parsed: 1,200 · pending: 0 · no known language: 4 · definitions: 9,000
  freshness: events · directories watched: 1,324 · read for each answer: 2 · sweeps: 1
  unparsed: a\x1b.py: too large
  unreadable: b: mode 000
  quarantined: c\xff: crashed the parser
  degraded: d: no events; mount it otherwise
  degraded: slow
workspace: /empty
  files: 0 · parsed: 0 · pending: 0 · no known language: 0 · definitions: 0
  directories watched: 0 · read for each answer: 0 · sweeps: 0
facts: 5.0 MiB on disk · hits: 1,100 · parsed: 104 · stored: 103
  problem: no space\x1b
store: 1 blob · 1.5 KiB · 2 spans
  damaged: x
`, 0},
		{"doctor", "ok store: fine\nerror config: unknown key\n  fix: remove it\n", 3},
		{"gc --retention-days 0", "removed: 1 capture · 2.0 KiB\nkept: 1,204 captures · 3.0 MiB · 2 pinned · 7 spans\n", 0},
		{"pin repo:m.py --span b34a0fcd32", "pinned: blob:abababababab (m.py)\n", 0},
		{"version", "ctx " + wire.Version + "\n", 0},
		{"version --json", "{\n  \"version\": \"" + wire.Version + "\"\n}\n", 0},
	} {
		out, errs, code := ctx(strings.Fields(tt.line)...)
		if out != tt.want || errs != "" || code != tt.code {
			t.Errorf("%s: got\n%swant\n%s%s exit %d", tt.line, out, tt.want, errs, code)
		}
	}
	asked[wire.StatusParams](t, f)
	asked[wire.DoctorParams](t, f)
	if p := asked[wire.GCParams](t, f); p.RetentionDays == nil || *p.RetentionDays != 0 {
		t.Errorf("gc asked %+v", p)
	}
	if p := asked[wire.PinParams](t, f); p.ID != "b34a0fcd32" {
		t.Errorf("pin asked %+v", p)
	}
}

func TestPinIDs(t *testing.T) {
	for line, want := range map[string]string{
		"pin b34a0fcd32": "b34a0fcd32", "pin snapshot:cf3db50116cd": "snapshot:cf3db50116cd", "pin blob:3f1c": "blob:3f1c",
		"pin --span b34a0fcd32": "b34a0fcd32",
	} {
		f := daemon(t, map[string]any{wire.MethodPin: wire.PinResult{}})
		if _, errs, code := ctx(strings.Fields(line)...); code != 0 {
			t.Errorf("%s: %s", line, errs)
		}
		if p := asked[wire.PinParams](t, f); p.ID != want {
			t.Errorf("%s asked %+v", line, p)
		}
	}
	f := daemon(t, map[string]any{wire.MethodPin: wire.PinResult{}})
	if _, errs, code := ctx("pin", "repo:m.py --span b34a0fcd32"); code != 0 || asked[wire.PinParams](t, f).ID != "b34a0fcd32" {
		t.Errorf("%s exit %d", errs, code)
	}
}

func TestStopWithoutDaemon(t *testing.T) {
	t.Setenv("CTX_SOCKET", filepath.Join(t.TempDir(), "s"))
	t.Setenv("CTXD", "/nonexistent") // it must not be started
	if out, errs, code := ctx("stop"); out != "no daemon is running\n" || errs != "" || code != 0 {
		t.Errorf("%q %q %d", out, errs, code)
	}
	if out, _, code := ctx("stop", "--json"); out != "{\n  \"stopping\": false\n}\n" || code != 0 {
		t.Errorf("%q %d", out, code)
	}
	if _, errs, code := ctx("def", "x"); code != 1 || !strings.HasPrefix(errs, "ctx def: ctxd did not start (/nonexistent): ") {
		t.Errorf("%q %d", errs, code)
	}
	if _, errs, code := ctx("def", "x", "--json"); code != 1 || !strings.HasPrefix(errs, "{\n  \"error\": \"internal\",\n") {
		t.Errorf("%q %d", errs, code)
	}
}

func TestStop(t *testing.T) {
	daemon(t, map[string]any{wire.MethodStop: wire.StopResult{Stopping: true}})
	if out, errs, code := ctx("stop"); out != "stopped\n" || errs != "" || code != 0 {
		t.Errorf("%q %q %d", out, errs, code)
	}
}

func TestTimeout(t *testing.T) {
	daemon(t, nil)
	if _, errs, code := ctx("def", "x", "--timeout", "0.02"); code != 124 || !strings.HasPrefix(errs, "ctx def: timed out after 20ms: ") {
		t.Errorf("%q %d", errs, code)
	}
}

// Every word has its exit status, in one place.
func TestExitStatus(t *testing.T) {
	refusal := func(w wire.Word) error { return wire.NewError(wire.ErrorData{Error: w}) }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("x"), 1}, {&usageError{}, 2}, {errNegative, 3}, {fmt.Errorf("y: %w", errNegative), 3}, {errRefused, 2},
		{refusal(wire.AnchorStale), 2}, {refusal(wire.AnchorInvalid), 2}, {refusal(wire.AnchorNotFound), 2}, {refusal(wire.AnchorAmbiguous), 2},
		{refusal(wire.BatchAborted), 2}, {refusal(wire.EditConflict), 2}, {refusal(wire.SpanUnknown), 2}, {refusal(wire.NotFound), 2},
		{refusal(wire.PathDenied), 2}, {refusal(wire.FileTooLarge), 2}, {refusal(wire.BinaryContent), 2}, {refusal(wire.Unsupported), 2},
		{refusal(wire.MaliciousContent), 2}, {refusal(wire.InvalidRequest), 2}, {refusal("a word of the future"), 2},
		{refusal(wire.Stopping), 1}, {refusal(wire.Internal), 1},
		{&wire.Error{Code: wire.CodeMethodNotFound}, 1}, {&wire.Error{Code: wire.CodeInvalidRequest}, 2}, {&wire.Error{Code: -32602}, 2},
	} {
		if got := status(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "ctx: what to do is missing\n  try: ctx help\n",
		"gett":                      "ctx: unknown verb \"gett\"; did you mean \"get\"?\n  try: ctx help\n",
		"frobnicate":                "ctx: unknown verb \"frobnicate\"\n  try: ctx help\n",
		"help frobnicate":           "ctx help: unknown verb \"frobnicate\"\n  try: ctx help\n",
		"get":                       "ctx get: a reference is missing\n  try: ctx help get\n",
		"get a b":                   "ctx get: one argument is taken, too many: b\n  try: ctx help get\n",
		"get a --frob":              "ctx get: unknown flag --frob\n  try: ctx help get\n",
		"get a --lines":             "ctx get: flag --lines needs a value\n  try: ctx help get\n",
		"--frob":                    "ctx: unknown flag --frob\n  try: ctx help\n",
		"status x":                  "ctx status: no argument is taken: x\n  try: ctx help status\n",
		"completion tcsh":           "ctx completion: no completion for the shell \"tcsh\": bash, zsh or fish\n  try: ctx help completion\n",
		"gc --retention-days -1":    "ctx gc: --retention-days -1: want a number of days from 0\n  try: ctx help gc\n",
		"def x --limit -1":          "ctx def: --limit and --after count from 0\n  try: ctx help def\n",
		"def x --root /nonexistent": "ctx def: --root /nonexistent: no such file or directory\n  try: ctx help\n",
		"def x --root /dev/null":    "ctx def: --root /dev/null: not a directory\n  try: ctx help\n",
	} {
		out, errs, code := ctx(strings.Fields(line)...)
		if out != "" || errs != want || code != 2 {
			t.Errorf("%q: stdout %q\n got %q\nwant %q\nexit %d", line, out, errs, want, code)
		}
	}
	if _, errs, code := ctx("def", "x", "--timeout", "soon"); code != 2 || !strings.Contains(errs, "want a length of time such as 5s or 2m") {
		t.Errorf("%q %d", errs, code)
	}
}

// Flags of every verb stand anywhere, and -- ends them.
func TestFlagsAnywhere(t *testing.T) {
	for _, line := range []string{
		"--json --no-sync get repo:m.py --hashlines --lines 4:5", "get --json --lines=4:5 repo:m.py --no-sync -hashlines",
		"get --lines 4:5 --hashlines --no-sync --json -- repo:m.py", "--no-sync --json get ctx get repo:m.py --lines 4:5 --hashlines",
	} {
		f := daemon(t, map[string]any{wire.MethodGet: beta()})
		out, errs, code := ctx(strings.Fields(line)...)
		if !strings.HasPrefix(out, "{\n  \"ref\": \"repo:m.py\",\n") || code != 0 {
			t.Errorf("%s: %s%s", line, out, errs)
		}
		p := asked[wire.GetParams](t, f)
		if p.Ref != "repo:m.py" || p.Lines != "4:5" || !p.Hashlines || !p.NoSync {
			t.Errorf("%s: %+v", line, p)
		}
	}
	f := daemon(t, map[string]any{wire.MethodResolve: wire.ResolveResult{Outcomes: []wire.Outcome{{}, {}}}})
	ctx("resolve", "--", "repo:a", "-x")
	if got := asked[wire.ResolveParams](t, f).Addresses; len(got) != 2 || !strings.HasSuffix(got[1], "-x") {
		t.Errorf("asked %q", got)
	}
	f = daemon(t, map[string]any{wire.MethodGet: beta()})
	if _, errs, code := ctx("get", "--", "--lines"); code != 0 || !strings.HasSuffix(asked[wire.GetParams](t, f).Ref, "--lines") {
		t.Errorf("%s exit %d", errs, code)
	}
}

// An unknown field of the result is kept by --json.
func TestJSONKeepsUnknownFields(t *testing.T) {
	daemon(t, map[string]any{wire.MethodDef: map[string]any{"future": "<&>", "definitions": []any{}}})
	if out, _, code := ctx("def", "x", "--json"); !strings.Contains(out, `"future"`) || code != 0 {
		t.Errorf("%s exit %d", out, code)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A full disk is said, a reader that went away is not.
func TestWriteErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
		code int
	}{
		{syscall.EPIPE, "", 0},
		{syscall.ENOSPC, "ctx version: writing the answer: no space left on device\n", 1},
	} {
		var errs strings.Builder
		code := Main([]string{"version"}, nil, failing{tt.err}, &errs)
		if code != tt.code || errs.String() != tt.want {
			t.Errorf("%v: %q, exit %d", tt.err, errs.String(), code)
		}
	}
}

// The bash script completes verbs and flags. zsh and fish are checked for what they name.
func TestCompletion(t *testing.T) {
	script, _, code := ctx("completion", "bash")
	if code != 0 {
		t.Fatal(code)
	}
	for _, tt := range []struct{ words, want string }{
		{"ctx de", "def"}, {"ctx get --ha", "--hashlines"}, {"ctx get --js", "--json"}, {"ctx completion z", "zsh"}, {"ctx help res", "resolve"},
	} {
		words := strings.Fields(tt.words)
		run := fmt.Sprintf("%s\nCOMP_WORDS=(%s); COMP_CWORD=%d; _ctx; echo \"${COMPREPLY[*]}\"", script, tt.words, len(words)-1)
		out, err := exec.Command("bash", "-c", run).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != tt.want {
			t.Errorf("%s: %q, %v", tt.words, out, err)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		script, _, code := ctx("completion", shell)
		for _, v := range verbs() {
			if !strings.Contains(script, v.about().name) || !strings.Contains(script, "hashlines") {
				t.Errorf("%s: no %s, exit %d", shell, v.about().name, code)
			}
		}
	}
}
