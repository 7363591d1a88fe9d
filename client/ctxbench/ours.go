package main

import (
	"context"
	"errors"
	"fmt"

	"ctxd/client"
	"ctxd/client/wire"
)

// claim is one reference of ours: where, how sure, and what it is said to be.
type claim struct {
	at   site
	tier string
	role string
}

// claims asks ctx/refs for a place, page by page. A name that ctx refuses to know has no references; any
// other failure is an error.
func (b *bench) claims(ctx context.Context, c *client.Client, t *tree, at site) ([]claim, error) {
	p := wire.RefsParams{Common: b.common(), Target: fmt.Sprintf("%s:%d:%d", wire.RepoRef(at.path), at.line, at.col), Limit: page}
	p.NoSync = true
	var all []claim
	for {
		r, err := c.Refs(ctx, p)
		if refused, ok := errors.AsType[*wire.Error](err); ok && refused.Data != nil && refused.Data.Error == wire.NotFound {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("refs %s: %w", at, err)
		}
		all = append(all, t.claims(r, at)...)
		if p.After = r.Next; p.After == 0 {
			return all, nil
		}
	}
}

// claims are the rows of an answer about a place. The definitions are rows too: a server has a declaration
// elsewhere, such as a prototype, among its references. They are as sure as the best tier that would reach
// them.
func (t *tree) claims(r *wire.RefsResult, about site) []claim {
	var all []claim
	for _, d := range r.Definitions {
		tier := wire.TierImport
		if d.Path == about.path {
			tier = wire.TierLocal
		}
		all = append(all, claim{t.site(d.Path, d.SelectionRange.Start), tier, "definition"})
	}
	for _, row := range r.References {
		all = append(all, claim{t.site(row.Path, row.Range.Start), row.Tier, row.Role})
	}
	return all
}
