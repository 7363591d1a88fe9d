package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// refNames are names of the Go library among which those with about 1,000 and about 10 references are looked for.
var refNames = []string{
	"strings.Builder", "strings.Contains", "strings.HasPrefix", "strings.Split", "bytes.Buffer", "bytes.NewReader", "errors.New",
	"errors.Is", "os.ReadFile", "os.Getenv", "os.Exit", "io.EOF", "io.ReadAll", "io.Copy", "fmt.Errorf", "fmt.Sprintf", "fmt.Fprintf",
	"fmt.Println", "time.Duration", "time.Now", "sync.Mutex", "sync.WaitGroup", "context.Context", "reflect.TypeOf", "runtime.GC",
	"filepath.Join", "http.Server", "http.NewRequest", "net.Listen", "json.Marshal", "json.NewDecoder", "sort.Slice", "strconv.Itoa",
	"unicode.IsLetter", "utf8.RuneError", "tar.NewReader", "zip.OpenReader", "csv.NewReader", "Server.Serve", "Builder.Grow",
}

// refs measures ctx/refs on an open connection beside an echo: a name with about 1,000 sites, one with about 10, one that
// is absent; each with all its rows and addresses.
func refs(ctx context.Context, b *bench) error {
	c, _, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	many, err := b.nearest(ctx, c, 1000)
	if err != nil {
		return err
	}
	few, err := b.nearest(ctx, c, 10)
	if err != nil {
		return err
	}
	var echo, thousand, page, ten, none samples
	ask := func(p wire.RefsParams) func() error {
		return func() error { _, err := c.Refs(ctx, p); return err }
	}
	absent := wire.RefsParams{Common: b.common(), Target: "nosuchname"}
	if err := inTurns(b.times(100),
		turn{&echo, func() error { return c.Call(ctx, wire.MethodEcho, many, new(wire.RefsParams)) }},
		turn{&thousand, ask(many)},
		turn{&page, func() error { p := many; p.Limit = 80; _, err := c.Refs(ctx, p); return err }},
		turn{&ten, ask(few)},
		turn{&none, func() error {
			_, err := c.Refs(ctx, absent)
			var refused *wire.Error
			if errors.As(err, &refused) && refused.Data != nil && refused.Data.Error == wire.NotFound {
				return nil
			}
			return fmt.Errorf("an absent name: %v", err)
		}},
	); err != nil {
		return err
	}
	b.row("ctx/refs "+many.Target+", all rows", thousand, echo)
	b.row("  its first 80 rows", page, echo)
	b.row("ctx/refs "+few.Target, ten, echo)
	b.row("ctx/refs of an absent name", none, echo)
	b.judge(atMost("ctx/refs of about 1,000 sites, p50", thousand.at(0.5), 50*time.Millisecond))
	return nil
}

// nearest asks for all rows of the name whose number of references is nearest to sites.
func (b *bench) nearest(ctx context.Context, c *client.Client, sites int) (wire.RefsParams, error) {
	best, total := wire.RefsParams{}, -1
	for _, name := range refNames {
		p := wire.RefsParams{Common: b.common(), Target: name, Limit: 2000}
		r, err := c.Refs(ctx, wire.RefsParams{Common: p.Common, Target: name, Limit: 1})
		if err != nil {
			continue // another tree
		}
		if total < 0 || abs(r.Total-sites) < abs(total-sites) {
			best, total = p, r.Total
		}
	}
	if total < 0 {
		return best, fmt.Errorf("%s defines none of the names that are looked for: give the Go library", b.root)
	}
	fmt.Fprintf(b.out, "  %s: %d references\n", best.Target, total)
	return best, nil
}

func abs(n int) int { return max(n, -n) }
