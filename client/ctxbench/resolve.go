package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// The addresses of the thousand: perFile ranges of rangeLines lines, one after the other.
const (
	thousand   = 1000
	perFile    = 4
	rangeLines = 5
)

// resolveThousand times ctx/resolve of 1,000 different addresses in 250 files or more.
func (b *bench) resolveThousand(ctx context.Context, c *client.Client) error {
	p := wire.ResolveParams{Common: b.common()}
	files, err := sources(b.root, 2*thousand/perFile)
	if err != nil {
		return err
	}
	different, used := map[string]bool{}, 0
	for _, path := range files {
		before := len(p.Addresses)
		for first := 1; first < perFile*rangeLines && len(p.Addresses) < thousand; first += rangeLines {
			r, err := c.Get(ctx, wire.GetParams{Common: b.common(), Ref: wire.RepoRef(path), Lines: fmt.Sprintf("%d:%d", first, first+rangeLines-1)})
			var refused *wire.Error
			if errors.As(err, &refused) {
				break // a shorter file
			}
			if err != nil {
				return err
			}
			if r.Live != nil && !different[r.Live.Address] {
				different[r.Live.Address] = true
				p.Addresses = append(p.Addresses, r.Live.Address)
			}
		}
		if len(p.Addresses) > before {
			used++
		}
	}
	if len(p.Addresses) < thousand {
		fmt.Fprintf(b.out, "  ctx/resolve is not measured: %d addresses in %d files, the tree is too small\n", len(p.Addresses), used)
		return nil
	}
	var echo, got samples
	if err := inTurns(max(b.times(300)/5, 20),
		turn{&echo, func() error { return c.Call(ctx, wire.MethodEcho, p, new(wire.ResolveParams)) }},
		turn{&got, func() error {
			r, err := c.Resolve(ctx, p)
			if err != nil {
				return err
			}
			for _, o := range r.Outcomes {
				if o.Outcome != wire.Verified {
					return fmt.Errorf("%s is %s, though nothing was written", o.Address, o.Outcome)
				}
			}
			return nil
		}},
	); err != nil {
		return err
	}
	b.row(fmt.Sprintf("ctx/resolve, %d addresses in %d files", len(different), used), got, echo)
	b.judge(atMost(fmt.Sprintf("ctx/resolve of %d addresses in %d files, p50", len(different), used), got.at(0.5), 10*time.Millisecond))
	return nil
}

// sources lists n Go files below root, relative to it, or of any language where it has none, evenly spread over it.
func sources(root string, n int) ([]string, error) {
	var goFiles, others []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if filepath.Ext(rel) == ".go" {
			goFiles = append(goFiles, rel)
		} else if filepath.Ext(rel) != "" {
			others = append(others, rel)
		}
		return nil
	})
	if len(goFiles) == 0 {
		goFiles = others
	}
	return spread(goFiles, n), err
}

// spread takes at most n of all, at even distances, in order.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
