package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// usualDamages is how many damaged places a compiler has to refuse.
	usualDamages = 250
	// maxDamaged is the largest file that is damaged, in bytes: a compiler is to answer at once.
	maxDamaged = 200 << 10
	// nearLines is how far from the right line a row may be.
	nearLines = 1
)

// diag asks what is wrong in a clean tree, then damages it token by token where the compiler of the
// language calls that a syntax error, and asks again.
func diag(ctx context.Context, b *bench) error {
	if b.changes > 0 {
		return b.diagHistory(ctx)
	}
	into := filepath.Join(b.tmp, "tree")
	if err := b.repository(ctx, into); err != nil {
		return err
	}
	b.root = into
	var cases []damage
	if b.lang != "" {
		var err error
		if cases, err = b.damages(ctx); err != nil {
			return err
		}
	}
	c, _, err := b.warm(ctx, into)
	if err != nil {
		return err
	}
	defer c.Close()
	clean, err := c.Diag(ctx, wire.DiagParams{Common: b.common()})
	if err != nil {
		return err
	}
	b.clean(clean)
	if b.lang == "" {
		return nil
	}
	return b.reported(ctx, c, cases)
}

// clean says what was found in a tree that nobody damaged.
func (b *bench) clean(r *wire.DiagResult) {
	for _, s := range r.Coverage.Sources {
		fmt.Fprintf(b.out, "  %s: %d files %s\n", s.Name, s.Files, s.Note)
	}
	fmt.Fprintf(b.out, "  none: %d files\n", r.Coverage.Unchecked)
	for _, d := range r.Diagnostics[:min(len(r.Diagnostics), b.misses)] {
		fmt.Fprintf(b.out, "    %s:%d: %s\n", d.Path, d.Lines[0], d.Message)
	}
	b.judge(verdict{"rows on the clean tree", fmt.Sprint(r.Total), "0", r.Total == 0})
}

// damages are the damaged places with what the compiler says of them: those of the file --cases, or new ones,
// which are kept there. Of the places that the compiler does not mind as many are kept as came up.
func (b *bench) damages(ctx context.Context) ([]damage, error) {
	var all []damage
	if b.cases != "" {
		text, err := os.ReadFile(b.cases)
		if err == nil {
			return all, json.Unmarshal(text, &all)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	j, err := b.compiler(ctx, b.lang)
	if err != nil {
		return nil, err
	}
	defer j.close()
	files, err := b.filesOf(j.o.extensions)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(b.seed, uint64(len(files))))
	sound := map[string]bool{}
	for wrong, tries := 0, 0; wrong < b.times(usualDamages) && tries < 50*b.times(usualDamages); tries++ {
		path := files[r.IntN(len(files))]
		d, kept, err := b.damage(ctx, j, r, sound, path)
		if err != nil {
			return nil, err
		}
		if kept {
			all = append(all, d)
			if d.Fault.Line > 0 {
				wrong++
			}
		}
	}
	if b.cases != "" {
		text, err := json.MarshalIndent(all, "", " ")
		if err != nil {
			return nil, err
		}
		return all, os.WriteFile(b.cases, text, 0o644)
	}
	return all, nil
}

// damage makes one damage and asks the compiler; false when the file is not sound as it is.
func (b *bench) damage(ctx context.Context, j *compiler, r *rand.Rand, sound map[string]bool, path string) (damage, bool, error) {
	file := filepath.Join(b.root, path)
	src, err := os.ReadFile(file)
	if err != nil || len(src) > maxDamaged {
		return damage{}, false, err
	}
	good, asked := sound[path]
	if !asked {
		f, err := j.fault(ctx, file)
		if err != nil {
			return damage{}, false, err
		}
		good = f.Line <= 0
		sound[path] = good
	}
	if !good {
		return damage{}, false, nil
	}
	d, ok := damaged(r, path, src)
	if !ok {
		return damage{}, false, nil
	}
	if err := os.WriteFile(file, d.apply(src), 0o644); err != nil {
		return d, false, err
	}
	d.Fault, err = j.fault(ctx, file)
	return d, err == nil, errors.Join(err, os.WriteFile(file, src, 0o644))
}

// filesOf lists the files of the tree with one of these extensions, sorted.
func (b *bench) filesOf(extensions []string) ([]string, error) {
	out, err := git(context.Background(), b.root, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	var files []string
	for path := range strings.SplitSeq(out, "\x00") {
		fi, err := os.Lstat(filepath.Join(b.root, path))
		if err == nil && fi.Mode().IsRegular() && slices.Contains(extensions, filepath.Ext(path)) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file of the tree ends in %s", strings.Join(extensions, ", "))
	}
	return files, nil
}

// reported damages one file after the other and counts what is reported of it.
func (b *bench) reported(ctx context.Context, c *client.Client, cases []damage) error {
	var wrong, found, atDamage, atFault, either, sound, blamed int
	for _, d := range cases {
		file := filepath.Join(b.root, d.Path)
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, d.apply(src), 0o644); err != nil {
			return err
		}
		res, err := c.Diag(ctx, wire.DiagParams{Common: b.common(), Path: wire.RepoRef(d.Path)})
		if err := errors.Join(err, os.WriteFile(file, src, 0o644)); err != nil {
			return err
		}
		if d.Fault.Line == otherwise {
			continue
		}
		if d.Fault.Line == 0 {
			if sound++; res.Total > 0 {
				blamed++
				b.showDamage("BLAMED", d, src, res)
			}
			continue
		}
		wrong++
		near := func(line int) bool {
			return slices.ContainsFunc(res.Diagnostics, func(row wire.Diagnostic) bool {
				return row.Lines[0]-nearLines <= line && line <= row.Lines[0]+nearLines
			})
		}
		damage, compiler := near(d.line(src)), near(d.Fault.Line)
		found += one(res.Total > 0)
		atDamage += one(damage)
		atFault += one(compiler)
		either += one(damage || compiler)
		if res.Total == 0 {
			b.showDamage("MISSED", d, src, res)
		} else if !damage && !compiler {
			b.showDamage("ELSEWHERE", d, src, res)
		}
	}
	fmt.Fprintf(b.out, "  %s: %d damages that the compiler refuses: %d reported, %d within a line of the damage, %d of the compiler's line, %d of either; %d that it takes: %d reported\n",
		b.lang, wrong, found, atDamage, atFault, either, sound, blamed)
	b.percent("syntax errors reported", found, wrong, 95)
	b.percent("reported at the right line", either, wrong, 90)
	b.percent("damages that compile, not reported", sound-blamed, sound, 100)
	return nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (b *bench) percent(what string, n, of int, bar float64) {
	share := 100 * float64(n) / float64(max(of, 1))
	b.judge(verdict{what, fmt.Sprintf("%.1f %% of %d", share, of), fmt.Sprintf("≥ %v %%", bar), share >= bar && of > 0})
}

// showDamage prints one damage with what is said of it.
func (b *bench) showDamage(what string, d damage, src []byte, r *wire.DiagResult) {
	if b.shown[what]++; b.shown[what] > b.misses {
		return
	}
	now := bytes.Split(d.apply(src), []byte("\n"))
	line := d.line(src)
	fmt.Fprintf(b.out, "    %s %s:%d %s %q -> %q\n      now: %.140q\n", what, d.Path, line, d.Kind, src[d.Start:d.End], d.New, now[line-1])
	if d.Fault.Line > 0 {
		fmt.Fprintf(b.out, "      compiler: L%d: %.140s\n", d.Fault.Line, d.Fault.Message)
	}
	for _, row := range r.Diagnostics[:min(len(r.Diagnostics), 3)] {
		fmt.Fprintf(b.out, "      ctx: L%d: %s\n", row.Lines[0], row.Message)
	}
}
