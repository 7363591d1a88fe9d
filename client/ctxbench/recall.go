package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"ctxd/client"
	"ctxd/client/wire"
)

// tag is one line of ctags --output-format=json.
type tag struct {
	Type      string `json:"_type"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	Language  string `json:"language"`
	Line      int    `json:"line"`
	Kind      string `json:"kind"`
	ScopeKind string `json:"scopeKind"`
	Pattern   string `json:"pattern"`
}

// wanted are the ctags kinds that are compared: functions, methods, types, and constants and
// variables of a module or class. Parameters, local variables, imports and labels are not.
var wanted = map[string]string{
	"Go":         "func const type var struct interface alias methodSpec",
	"Python":     "class function member variable",
	"JavaScript": "function class method constant variable generator getter setter",
	"TypeScript": "function class interface enum method namespace constant variable alias generator",
	"Java":       "class interface enum method field enumConstant annotation",
	"Rust":       "module struct interface function enum typedef variable macro method constant enumerator",
	"C":          "function struct union enum typedef variable macro enumerator",
	"C++":        "function class struct union enum typedef variable macro enumerator namespace",
}

// localScopes are the scopes whose variables are local.
const localScopes = " function method func member generator "

// recall asks the daemon for every tag that ctags finds: the definition must be listed for that
// path and name, at that line.
func recall(ctx context.Context, b *bench) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, _, err := b.indexed(ctx, c); err != nil {
		return err
	}
	tags, err := b.ctags(ctx)
	if err != nil {
		return err
	}
	missed := make([]bool, len(tags))
	var failed error
	var once sync.Once
	var askers sync.WaitGroup
	const at = 4
	for k := range at {
		askers.Go(func() {
			for i := k; i < len(tags); i += at {
				found, err := b.defines(ctx, c, tags[i])
				if err != nil {
					once.Do(func() { failed = fmt.Errorf("%s %s:%d: %w", tags[i].Name, tags[i].Path, tags[i].Line, err) })
					return
				}
				missed[i] = !found
			}
		})
	}
	askers.Wait()
	if failed != nil {
		return failed
	}
	b.report(tags, missed)
	return nil
}

// ctags runs universal-ctags over the tree and keeps the tags that are compared.
func (b *bench) ctags(ctx context.Context) ([]tag, error) {
	languages := slices.Sorted(maps.Keys(wanted))
	if b.lang != "" {
		languages = []string{b.lang}
	}
	cmd := exec.CommandContext(ctx, "ctags", "-R", "--output-format=json", "--fields=+lnKsS", "--extras=-q", "--kinds-all=*",
		"--languages="+strings.Join(languages, ","), "-f", "-", ".")
	cmd.Dir = b.root
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("universal-ctags is what recall is measured against: %w", err)
	}
	var tags []tag
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var t tag
		if json.Unmarshal(lines.Bytes(), &t) != nil || t.Type != "tag" || !compared(t) {
			continue
		}
		t.Path = strings.TrimPrefix(t.Path, "./")
		tags = append(tags, t)
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return nil, err
	}
	return tags, nil
}

func compared(t tag) bool {
	if !slices.Contains(strings.Fields(wanted[t.Language]), t.Kind) || t.Name == "" || strings.HasPrefix(t.Name, "__anon") || t.Name == "_" {
		return false
	}
	local := strings.Contains(localScopes, " "+t.ScopeKind+" ") && t.ScopeKind != ""
	return !(local && (t.Kind == "variable" || t.Kind == "constant" || t.Kind == "var" || t.Kind == "const"))
}

// defines asks whether ctx lists a definition of the tag's name at the tag's line.
func (b *bench) defines(ctx context.Context, c *client.Client, t tag) (bool, error) {
	p := wire.DefParams{Common: b.common(), Target: wire.RepoRef(t.Path), Symbol: t.Name, NoBody: true, Limit: 1 << 20}
	p.NoSync = true
	res, err := c.Def(ctx, p)
	var refused *wire.Error
	if errors.As(err, &refused) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, d := range res.Definitions {
		if d.SelectionRange.Start.Line+1 == t.Line || d.Lines[0] <= t.Line && t.Line <= d.SelectionRange.Start.Line+1 {
			return true, nil
		}
	}
	return false, nil
}

// report prints recall by language and kind, and a sample of the misses.
func (b *bench) report(tags []tag, missed []bool) {
	type count struct{ all, missed int }
	counts := map[string]*count{}
	samples := map[string][]string{}
	for i, t := range tags {
		for _, key := range []string{t.Language, t.Language + " " + t.Kind} {
			n := counts[key]
			if n == nil {
				n = &count{}
				counts[key] = n
			}
			n.all++
			if missed[i] {
				n.missed++
			}
		}
		if key := t.Language + " " + t.Kind; missed[i] && len(samples[key]) < b.misses {
			samples[key] = append(samples[key], fmt.Sprintf("%s:%d: %s  %s", t.Path, t.Line, t.Name, t.Pattern))
		}
	}
	keys := slices.SortedFunc(maps.Keys(counts), cmp.Compare)
	for _, key := range keys {
		n := counts[key]
		fmt.Fprintf(b.out, "%-26s %7d tags  %6d missed  recall %.2f %%\n", key, n.all, n.missed, 100*(1-float64(n.missed)/float64(n.all)))
		for _, s := range samples[key] {
			fmt.Fprintf(b.out, "    %s\n", s)
		}
	}
}
