package main

import (
	"context"
	"fmt"
	"strings"
)

// A server's list of references is not all that it knows. A row of ours that is not on it is put to the server again: what
// is the definition of the name there? The answer is a ruling.
const (
	// agrees: it is the symbol that we say, and the list is incomplete. clangd leaves out uses of names that only some of
	// the files of its index have.
	agrees = "the server's own definition of the name there is the symbol"
	// ownStubs: it is in files that the server brings along in place of the tree's.
	ownStubs = "defined in stubs of the server's own"
	// dropped: the server sees no name there, and of the compiler's tokens, by the file's own command, none is there: an
	// argument of a macro that is expanded to nothing.
	dropped = "dropped by the preprocessor"
)

// rule asks the server about every row that it lacks, and keeps what it says in a.
func (b *bench) rule(ctx context.Context, c *comparer, rows []difference) error {
	s, err := startServer(ctx, b.root, strings.Fields(b.server), c.l)
	if err != nil {
		return err
	}
	defer s.close(context.WithoutCancel(ctx))
	var pre *preprocessor
	if c.l.macros() {
		if pre, err = newPreprocessor(b.root, strings.Fields(b.server)); err != nil {
			return err
		}
	}
	c.a.Rulings = map[string]string{}
	for i, d := range rows {
		if err := s.show(c.t, d.at.path); err != nil {
			return err
		}
		if i == 0 {
			if err := s.wait(ctx); err != nil {
				return err
			}
		}
		ruling, err := s.ruling(ctx, c, d, pre)
		if err != nil {
			return err
		}
		if ruling != "" {
			c.a.Rulings[rulingKey(d.of.Site, d.at)] = ruling
		}
	}
	fmt.Fprintf(b.out, "  %d rows that %s lacks were put to it again: it rules on %d\n", len(rows), c.a.Server, len(c.a.Rulings))
	return nil
}

func rulingKey(of, at site) string { return of.String() + " " + at.String() }

// ruling is what the server says of one row; "" where that decides nothing.
func (s *languageServer) ruling(ctx context.Context, c *comparer, d difference, pre *preprocessor) (string, error) {
	one, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	places, err := s.places(one, "textDocument/definition", c.t, d.at, nil)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.at, err)
	}
	if len(places) == 0 {
		if pre != nil && pre.drops(ctx, d.at) {
			return dropped, nil
		}
		return "", nil
	}
	outside := 0
	for _, p := range places {
		file, ok := s.pathOf(p.URI)
		if !ok || !c.t.has(file) {
			outside++
			continue
		}
		at := c.t.site(file, p.Range.Start)
		if at == d.of.Site || c.declares(d.of, at) {
			return agrees, nil
		}
	}
	if outside == len(places) && s.stubs(places) {
		return ownStubs, nil
	}
	return "", nil
}

// declares says whether a place is one of the server's references to a symbol on a line that declares it: a prototype.
func (c *comparer) declares(of *symbol, at site) bool {
	for _, r := range of.References {
		if r == at && c.t.name(at) == of.Name {
			return true
		}
	}
	return false
}

// stubs says whether places are all in declarations without code that lie outside of the tree.
func (s *languageServer) stubs(places locations) bool {
	for _, p := range places {
		if !strings.HasSuffix(p.URI, ".pyi") && !strings.HasSuffix(p.URI, ".d.ts") {
			return false
		}
	}
	return true
}
