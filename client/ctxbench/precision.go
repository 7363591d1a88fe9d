package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// sampleSize is how many symbols are asked for, beside the common names.
const sampleSize = 300

// precision compares our references with a language server's.
func precision(ctx context.Context, b *bench) error {
	if b.loadFile != "" {
		a, t, err := loadAnswers(ctx, b.loadFile, b.root)
		if err != nil {
			return err
		}
		return b.compareAll(ctx, a, t)
	}
	if b.server == "" || b.lang == "" {
		return errors.New(`truth needs --server "COMMAND" and --language NAME, or --load FILE`)
	}
	l, err := languageOf(b.lang)
	if err != nil {
		return err
	}
	a, err := b.serverAnswers(ctx, l, b.times(sampleSize))
	if err != nil {
		return err
	}
	if b.saveFile != "" {
		b.describe(a)
		return a.save(b.saveFile)
	}
	t, err := treeOf(ctx, b.root, l)
	if err != nil {
		return err
	}
	return b.compareAll(ctx, a, t)
}

// describe says what a server's answers hold.
func (b *bench) describe(a *answers) {
	for _, common := range []bool{false, true} {
		for _, kind := range strata {
			symbols, references, failed := 0, 0, 0
			for _, s := range a.Symbols {
				if s.Kind == kind && s.Common == common {
					symbols++
					references += len(s.References)
					if s.Failed != "" {
						failed++
					}
				}
			}
			fmt.Fprintf(b.out, "  %-18s %4d symbols %7d references %4d without an answer\n", group(kind, common), symbols, references, failed)
		}
	}
}

// compareAll asks our daemon for every symbol and reports.
func (b *bench) compareAll(ctx context.Context, a *answers, t *tree) error {
	l, err := languageOf(a.Language)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, s := range a.Symbols {
		names[s.Name] = true
	}
	words, err := t.hits(names)
	if err != nil {
		return err
	}
	client, _, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer client.Close()
	known := map[site][]claim{}
	claims := func(at site) (all []claim, err error) {
		all, ok := known[at]
		if !ok {
			all, err = b.claims(ctx, client, t, at)
			known[at] = all
		}
		return all, err
	}
	c := &comparer{t, l, a}
	if b.loadFile != "" && b.server != "" {
		if err := b.arbitrate(ctx, c, words, claims); err != nil {
			return err
		}
	}
	return b.judgeAll(c, words, claims)
}

// arbitrate puts the rows that the server lacks to it again, and saves its answers with what it says.
func (b *bench) arbitrate(ctx context.Context, c *comparer, words map[string][]site, claims func(site) ([]claim, error)) error {
	c.a.Rulings = nil
	var lacking []difference
	for i := range c.a.Symbols {
		of := &c.a.Symbols[i]
		rows, err := claims(of.Site)
		if err != nil {
			return err
		}
		_, all := c.compare(of, rows, words[of.Name])
		for _, d := range all {
			if d.kind == wrongLocal || d.kind == wrongImport {
				lacking = append(lacking, d)
			}
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	if err := b.rule(ctx, c, lacking); err != nil {
		return err
	}
	if b.saveFile == "" {
		return nil
	}
	return c.a.save(b.saveFile)
}

// judgeAll compares symbol by symbol with what claims says of it.
func (b *bench) judgeAll(c *comparer, words map[string][]site, claims func(site) ([]claim, error)) error {
	scores := map[string]*score{}
	total := map[bool]*score{false: {}, true: {}}
	var differences []difference
	for i := range c.a.Symbols {
		of := &c.a.Symbols[i]
		rows, err := claims(of.Site)
		if err != nil {
			return err
		}
		s, more := c.compare(of, rows, words[of.Name])
		key := group(of.Kind, of.Common)
		if scores[key] == nil {
			scores[key] = &score{}
		}
		scores[key].add(s)
		total[of.Common].add(s)
		differences = append(differences, more...)
	}
	fmt.Fprintf(b.out, "  %s on %s\n", c.a.Server, cmp.Or(c.a.Commit, "a tree without commits"))
	fmt.Fprintf(b.out, "  "+scoreColumns, "", "symbols", "exact", "server's", "recall", "loc+imp", "precision", "beyond", "by name", "right", "words are", "recall")
	for _, common := range []bool{false, true} {
		for _, kind := range strata {
			if s := scores[group(kind, common)]; s != nil {
				b.scoreRow(group(kind, common), *s)
			}
		}
		b.scoreRow(group("all", common), *total[common])
	}
	b.differences(differences)
	b.judge(atLeastShare("rows labelled local or import that "+c.a.Server+" has", total[false].right, total[false].sure, leastAgreed))
	b.judge(atLeastShare("references of "+c.a.Server+" that are found", total[false].found, total[false].server, leastAgreed))
	return nil
}

// leastAgreed is the share, in percent, that precision and recall must have.
const leastAgreed = 99

// atLeastShare judges a share; one of nothing is not judged well.
func atLeastShare(what string, part, all int, least float64) verdict {
	return verdict{what, share(part, all), fmt.Sprintf("%.0f %%", least), all > 0 && percent(part, all) >= least}
}

// scoreColumns are of a row: what the server has and how much of it we have; our rows labelled local or
// import where the server sees, how many of these it has, and how many there are beyond; our rows by name
// and how many of these it has; how much of what a search for words finds it has, and how much of the
// server's that finds.
const scoreColumns = "%-16s %7v %6v %9v %9s %9v %9s %7v %8v %9s | %9s %9s\n"

func (b *bench) scoreRow(name string, s score) {
	fmt.Fprintf(b.out, "  "+scoreColumns, name, s.symbols, s.exact, s.server, share(s.found, s.server), s.sure, share(s.right, s.sure), s.beyond,
		s.named, share(s.hits, s.named), share(s.same, s.words), share(s.wordFound, s.server))
	if s.failed > 0 {
		fmt.Fprintf(b.out, "    not counted: %d symbols that the server refused\n", s.failed)
	}
	if s.agreed > 0 {
		fmt.Fprintf(b.out, "    right by the server's definition of the name there, though not on its list: %d rows\n", s.agreed)
	}
	if s.stubbed > 0 {
		fmt.Fprintf(b.out, "    not counted: %d rows that the server takes from stubs of its own instead of the tree\n", s.stubbed)
	}
	if s.dropped > 0 {
		fmt.Fprintf(b.out, "    not counted: %d rows in arguments that the preprocessor drops\n", s.dropped)
	}
	if s.expanded > 0 {
		fmt.Fprintf(b.out, "    not counted: %d references where a macro puts the name\n", s.expanded)
	}
}

// differences prints each kind, its causes by how often they are, and some places of each.
func (b *bench) differences(all []difference) {
	for _, kind := range []string{wrongLocal, wrongImport, missedKind, beyondKind} {
		causes := map[string][]difference{}
		count := 0
		for _, d := range all {
			if d.kind == kind {
				causes[d.cause] = append(causes[d.cause], d)
				count++
			}
		}
		fmt.Fprintf(b.out, "%s: %d\n", kind, count)
		order := make([]string, 0, len(causes))
		for cause := range causes {
			order = append(order, cause)
		}
		slices.SortFunc(order, func(x, y string) int { return cmp.Or(len(causes[y])-len(causes[x]), cmp.Compare(x, y)) })
		left := b.misses
		for _, cause := range order {
			fmt.Fprintf(b.out, "  %s: %d\n", cause, len(causes[cause]))
			// Every cause has its turn; the most frequent ones have most of the places.
			for _, d := range spread(causes[cause], min(max(left, 1), max(b.misses/2, 1))) {
				fmt.Fprintf(b.out, "    %s %s: %s  %.120s\n", d.of.Site, d.of.Name, d.at, d.line)
				left--
			}
		}
	}
}
