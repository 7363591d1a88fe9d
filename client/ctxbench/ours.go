package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ctxd/client"
	"ctxd/client/wire"
)

// The tiers of a reference, the surest first.
const (
	tierLocal  = "local"
	tierImport = "import"
	tierName   = "name"
)

// claim is one reference of ours: where, how sure, and what it is said to be.
type claim struct {
	at   site
	tier string
	role string
}

// refsPage is one answer of ctx/refs, as far as it is compared.
type refsPage struct {
	References []struct {
		Path      string      `json:"path"`
		Range     wire.Range  `json:"range"`
		Selection *wire.Range `json:"selectionRange"`
		Tier      string      `json:"tier"`
		Role      string      `json:"role"`
	} `json:"references"`
	Next json.RawMessage `json:"next"`
}

// claims asks ctx/refs for a place, page by page. A name that ctx refuses to know has no references; any other failure is an error.
func (b *bench) claims(ctx context.Context, c *client.Client, t *tree, at site) ([]claim, error) {
	params := map[string]any{"root": b.root, "target": fmt.Sprintf("%s:%d:%d", wire.RepoRef(at.path), at.line, at.col), "limit": page, "noSync": true}
	var all []claim
	for {
		var r refsPage
		err := c.Call(ctx, "ctx/refs", params, &r)
		if refused, ok := errors.AsType[*wire.Error](err); ok && refused.Data != nil && refused.Data.Error == wire.NotFound {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("refs %s: %w", at, err)
		}
		all = append(all, r.claims(t)...)
		if len(r.References) == 0 || !goesOn(r.Next) {
			return all, nil
		}
		params["after"] = r.Next
	}
}

// claims are the rows of a page: the place of a row is that of the name, where a range around it is
// given too.
func (r *refsPage) claims(t *tree) []claim {
	var all []claim
	for _, row := range r.References {
		name := row.Range
		if row.Selection != nil {
			name = *row.Selection
		}
		all = append(all, claim{t.site(row.Path, name.Start), row.Tier, row.Role})
	}
	return all
}

// goesOn says whether a continuation is one.
func goesOn(next json.RawMessage) bool {
	switch string(next) {
	case "", "0", `""`, "null":
		return false
	}
	return true
}
