package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// The large file: bigLines lines, and ranges of bigRange lines that are addressed and then changed.
const (
	bigLines = 1_000_000
	bigRange = 40
	bigName  = "big.txt"
	// youngFor is how long a file stays young: see racyWindow in package daemon, 100 ms.
	youngFor = 300 * time.Millisecond
)

// big measures lost anchors in a large file: ranges that were addressed, with one line of each changed
// afterwards; and addresses minted elsewhere, of which nothing is known but 8 digits.
func big(ctx context.Context, b *bench) error {
	root := filepath.Join(b.tmp, "big")
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	n := max(b.times(10), 2)
	path := filepath.Join(root, bigName)
	if err := os.WriteFile(path, bigText(n, ""), 0o644); err != nil {
		return err
	}
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	at := wire.Common{Root: root}
	var minted []string
	for i := range n {
		first := bigFirst(i, n)
		r, err := c.Get(ctx, wire.GetParams{Common: at, Ref: wire.RepoRef(bigName), Lines: fmt.Sprintf("%d:%d", first, first+bigRange-1)})
		if err != nil {
			return err
		}
		minted = append(minted, r.Live.Address)
	}
	var changed, known, foreign, plain samples
	for i := range n {
		if err := os.WriteFile(path, bigText(n, fmt.Sprintf("changed %d ", i)), 0o644); err != nil {
			return err
		}
		// Digits that no text of the file has, short of an accident of 1 in 4,000 million a window.
		elsewhere := fmt.Sprintf("%s --lines %d:%d@%08x", wire.RepoRef(bigName), bigFirst(i, n), bigFirst(i, n)+bigRange-1, 0x9e3779b1*uint32(i+1))
		read := func() error {
			_, err := c.Get(ctx, wire.GetParams{Common: at, Ref: wire.RepoRef(bigName), Lines: "1:5"})
			return err
		}
		for _, step := range []turn{
			// The first call after a change reads the file and makes its table of lines.
			{&changed, func() error { return lost(ctx, c, at, minted[i]) }},
			// A file that was written a moment ago is read again by every call; then no longer.
			{nil, func() error { time.Sleep(youngFor); return read() }},
			{&known, func() error { return lost(ctx, c, at, minted[(i+1)%n]) }},
			{&foreign, func() error { return lost(ctx, c, at, elsewhere) }},
			{&plain, read},
		} {
			d, err := timed(step.call)
			if err != nil {
				return err
			}
			if step.into != nil {
				*step.into = append(*step.into, d)
			}
		}
	}
	b.row("lost anchor, 1,000,000 lines, just changed", changed, nil)
	b.row("  known, file read before", known, nil)
	b.row("  foreign, file read before", foreign, nil)
	b.row("  any read of 5 lines, file read before", plain, nil)
	b.judge(atMost("lost anchor in 1,000,000 lines, file just changed, p50", changed.at(0.5), 150*time.Millisecond))
	b.judge(atMost("lost anchor in 1,000,000 lines, known, p50", known.at(0.5), 150*time.Millisecond))
	b.judge(atMost("lost anchor in 1,000,000 lines, minted elsewhere, p50", foreign.at(0.5), 500*time.Millisecond))
	return nil
}

// lost asks for an address and wants to be told that it is lost.
func lost(ctx context.Context, c *client.Client, at wire.Common, address string) error {
	_, err := c.Get(ctx, wire.GetParams{Common: at, Ref: address})
	var refused *wire.Error
	switch {
	case errors.As(err, &refused) && refused.Data != nil && refused.Data.Outcome == wire.Lost:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is not lost, though its content is gone", address)
}

// bigFirst is the first line of range i of n, spread over the file.
func bigFirst(i, n int) int { return 1 + i*(bigLines-bigRange)/n }

// bigText is the large file; mark stands in the middle line of each of the n ranges.
func bigText(n int, mark string) []byte {
	middle := map[int]bool{}
	for i := range n {
		middle[bigFirst(i, n)+bigRange/2] = true
	}
	var text bytes.Buffer
	for line := 1; line <= bigLines; line++ {
		if middle[line] {
			text.WriteString(mark)
		}
		text.WriteString("\tline ")
		text.WriteString(strconv.Itoa(line))
		text.WriteString(" of the file {\n")
	}
	return text.Bytes()
}
