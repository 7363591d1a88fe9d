package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// grepped is one pattern of the comparison with rg.
type grepped struct {
	pattern string
	regex   bool
	fold    bool
}

// sought are the patterns: literals from one character to fifty, on nearly every line or on none, and
// expressions with a literal in them, with several, and with none.
var sought = func() (all []grepped) {
	for _, literal := range []string{
		"e", "{", "if", "//", "err", "func", "return", "nil {", "if err != nil", "import (", "package main", "string",
		"ReadFile", "os.ReadFile(", "http.StatusOK", "Deprecated:", "Copyright 2009 The Go Authors", "DO NOT EDIT", "é", "日本", "0x1f",
		"unsafe.Pointer(&", "func (t *T) ", "zqzqzq", "no such line stands anywhere in this source tree", "\t\t\t\t\t\t\t", "=== RUN", "fmt.Println(\"Hello", "ioutil", "goroutine",
	} {
		all = append(all, grepped{pattern: literal})
	}
	for _, expression := range []string{
		`func \(\w+ \*?\w+\) Close\(`, `err(or)?s?\.New\(`, `BUG\(\w+\):`, `^import "`, `\{$`, `^\s*$`, `[A-Z]{5,}_[A-Z]+`, `[0-9]+\.[0-9]+\.[0-9]+`,
		`a(b|c)d[0-9]+`, `foo|bar|baz`, `Read(File|Dir|All)\(`, `\bgo func\b`, `"[^"]{60,}"`, `0[xX][0-9a-fA-F]{8}`, `(\w+), \w+ := \w+`, `x+y+z+`, `^type \w+ interface`,
	} {
		all = append(all, grepped{pattern: expression, regex: true})
	}
	return append(all, grepped{pattern: "readfile", fold: true}, grepped{pattern: "content-type", fold: true}, grepped{pattern: `deprecated|obsolete`, regex: true, fold: true})
}()

// comparedRows is how many rows of a pattern are compared one by one; of one with more it is these and their number.
const comparedRows = 50_000

// find compares ctx/search with rg: the same lines for each pattern, and the time, the whole process of
// either beside the other, and a call on an open connection.
func find(ctx context.Context, b *bench) error {
	c, _, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	r := &searchRun{bench: b, client: c, left: map[string]bool{}}
	for _, a := range sought {
		if err := r.pattern(ctx, a); err != nil {
			return fmt.Errorf("%q: %w", a.pattern, err)
		}
	}
	r.report()
	return nil
}

// searchRun is one run of find.
type searchRun struct {
	*bench
	client *client.Client

	missed, extra, lines int
	rows                 int // that were compared
	miscounted           int
	left                 map[string]bool // files that are not searched
	whole, open          samples         // of a pattern's median: the ratio to rg, in millionths
	worst                string
}

func (r *searchRun) params(a grepped) wire.SearchParams {
	return wire.SearchParams{Common: r.common(), Patterns: []string{a.pattern}, Regex: a.regex, IgnoreCase: a.fold}
}

// pattern compares one pattern.
func (r *searchRun) pattern(ctx context.Context, a grepped) error {
	theirs, err := r.rgLines(ctx, a)
	if err != nil {
		return err
	}
	if err := r.same(ctx, a, theirs); err != nil {
		return err
	}
	line := []string{filepath.Join(r.bin, "ctx"), "search", "--root", r.root, "-e", a.pattern}
	if a.regex {
		line = append(line, "--regex")
	}
	if a.fold {
		line = append(line, "case:no")
	}
	process := func(args []string) func() error {
		return func() error {
			out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
			if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == 1 && len(out) == 0 && args[0] == "rg" {
				return nil // rg found nothing
			}
			return err
		}
	}
	var rg, whole, open samples
	if err := inTurns(r.times(5),
		turn{&rg, process(append([]string{"rg", "--no-config", "-n"}, a.rg(r.root)...))},
		turn{&whole, process(line)},
		turn{&open, func() error { _, err := r.client.Search(ctx, r.params(a)); return err }},
	); err != nil {
		return err
	}
	w, o := ratio(whole.at(0.5), rg.at(0.5)), ratio(open.at(0.5), rg.at(0.5))
	fmt.Fprintf(r.out, "  %-54q %8d lines  rg %-9v ctx %-9v %.2f ×  open connection %-9v %.2f ×\n", a.pattern, len(theirs),
		round(rg.at(0.5)), round(whole.at(0.5)), w, round(open.at(0.5)), o)
	if len(r.whole) == 0 || int64(w*1e6) > int64(r.whole.at(1)) {
		r.worst = a.pattern
	}
	r.whole, r.open = append(r.whole, millionths(w)), append(r.open, millionths(o))
	return nil
}

func (a grepped) rg(root string) (args []string) {
	if !a.regex {
		args = append(args, "-F")
	}
	if a.fold {
		args = append(args, "-i")
	}
	return append(args, "-e", a.pattern, root)
}

// place is a line as grep counts them: it ends at \n alone.
type place struct {
	path string
	at   int // where it begins, in bytes
}

// rgLines are the lines that rg finds in all files, binary ones too. Its classes and word boundaries are
// made ASCII where a pattern has some, as ours are.
func (r *searchRun) rgLines(ctx context.Context, a grepped) (map[place]bool, error) {
	args := []string{"--no-config", "--hidden", "-g", "!.git", "--no-ignore-dot", "--text", "--crlf", "--encoding", "none", "-n", "-b", "-0", "--no-heading", "--color", "never"}
	if a.regex && strings.Contains(strings.NewReplacer(`\w`, "\x00", `\b`, "\x00", `\s`, "\x00").Replace(a.pattern), "\x00") {
		args = append(args, "--no-unicode")
	}
	cmd := exec.CommandContext(ctx, "rg", append(args, a.rg(r.root)...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("rg is what search is compared with: %w", err)
	}
	found := map[place]bool{}
	in := bufio.NewReader(out)
	for {
		row, err := in.ReadString('\n')
		if path, rest, ok := strings.Cut(row, "\x00"); ok {
			_, rest, _ = strings.Cut(rest, ":")
			offset, _, _ := strings.Cut(rest, ":")
			at, err := strconv.Atoi(offset)
			rel, relErr := filepath.Rel(r.root, path)
			if err := errors.Join(err, relErr); err != nil {
				return nil, fmt.Errorf("rg printed %.80q: %w", row, err)
			}
			found[place{rel, at}] = true
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := cmd.Wait(); err != nil && len(found) > 0 {
		return nil, err
	}
	return found, nil
}

// same compares the lines. What rg finds and we do not must be in a file that we say we do not search.
func (r *searchRun) same(ctx context.Context, a grepped, theirs map[place]bool) error {
	p := r.params(a)
	p.Limit = 10_000
	ours, last, total := map[place]bool{}, "", 0
	sources := map[string][]byte{}
	for {
		res, err := r.client.Search(ctx, p)
		if err != nil {
			return err
		}
		for _, m := range res.Matches {
			if sources[m.Path] == nil {
				clear(sources)
				if sources[m.Path], err = os.ReadFile(filepath.Join(r.root, m.Path)); err != nil {
					return err
				}
			}
			at := bytes.LastIndexByte(sources[m.Path][:m.LineBytes[0]], '\n') + 1
			ours[place{m.Path, at}] = true
			last = m.Path
		}
		total, p.After = res.Total, res.Next
		if res.Next == "" || len(ours) >= comparedRows {
			break
		}
	}
	missed, extra, excused := 0, 0, 0
	for at := range theirs {
		if ours[at] {
			continue
		}
		skipped, err := r.skipped(ctx, at.path)
		switch {
		case err != nil:
			return err
		case skipped:
			excused++
		case p.After != "" && at.path >= last: // behind what was compared
		default:
			if missed++; missed <= 3 {
				fmt.Fprintf(r.out, "  MISSED: %q at byte %d of %s\n", a.pattern, at.at, at.path)
			}
		}
	}
	for at := range ours {
		if !theirs[at] {
			if extra++; extra <= 3 {
				fmt.Fprintf(r.out, "  EXTRA: %q at byte %d of %s\n", a.pattern, at.at, at.path)
			}
		}
	}
	if want := len(theirs) - excused; p.After != "" && total != want {
		fmt.Fprintf(r.out, "  COUNTED: %q on %d lines, not %d\n", a.pattern, total, want)
		r.miscounted++
	}
	r.missed, r.extra, r.rows, r.lines = r.missed+missed, r.extra+extra, r.rows+len(ours), r.lines+len(theirs)-excused
	return nil
}

// skipped says whether a search says of a file that it does not search it: a secret, or binary.
func (r *searchRun) skipped(ctx context.Context, path string) (bool, error) {
	if known, ok := r.left[path]; ok {
		return known, nil
	}
	res, err := r.client.Search(ctx, wire.SearchParams{Common: r.common(), Patterns: []string{"\x01\x02"}, Path: wire.RepoRef(path)})
	if refused, ok := errors.AsType[*wire.Error](err); ok && refused.Data != nil && refused.Data.Error == wire.PathDenied {
		r.left[path] = true
		return true, nil
	} else if err != nil {
		return false, err
	}
	r.left[path] = res.Scanned.Binary > 0
	return r.left[path], nil
}

func (r *searchRun) report() {
	fmt.Fprintf(r.out, "  %d patterns, %d lines; compared one by one: %d\n", len(sought), r.lines, r.rows)
	fmt.Fprintf(r.out, "  beside rg -n, both whole processes: p50 %.2f ×, worst %.2f × (%q)\n", times(r.whole, 0.5), times(r.whole, 1), r.worst)
	fmt.Fprintf(r.out, "  on an open connection beside rg -n: p50 %.2f ×, worst %.2f ×\n", times(r.open, 0.5), times(r.open, 1))
	r.judge(none("lines that rg finds and search does not", r.missed, r.lines))
	r.judge(none("lines that search finds and rg does not", r.extra, r.lines))
	r.judge(none("patterns whose lines are counted wrongly", r.miscounted, len(sought)))
}

// millionths and times keep ratios among samples.
func millionths(ratio float64) time.Duration { return time.Duration(ratio * 1e6) }

func times(s samples, q float64) float64 { return float64(s.at(q)) / 1e6 }
