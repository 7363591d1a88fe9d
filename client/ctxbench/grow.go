package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// spare is how much of the disk a grown tree leaves free, beside itself.
const spare = 2 << 30

// function is where a Go function or method is named, at the beginning of a line.
var function = regexp.MustCompile(`(?m)^(func (?:\([^()\n]*\) )?)([A-Za-z_]\w*)`)

// grow makes a tree of b.files files of copies of the tree, and measures that one from then on. The
// first copy is as it was; in the others every function has another name, so that no content is
// twice there: facts that are kept by content would make a large tree of a small one.
func (b *bench) grow(ctx context.Context) error {
	var paths []string
	var size int64
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.root, path)
		paths, size = append(paths, rel), size+info.Size()
		return err
	})
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s has no files to copy", b.root)
	}
	// A small file takes a block of 4 KiB.
	if err := b.room((size/int64(len(paths)) + 4096) * int64(b.files)); err != nil {
		return err
	}
	into := filepath.Join(b.tmp, "grown")
	for i := range b.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyChanged(into, b.root, paths[i%len(paths)], i/len(paths)); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "grown from %s: %d files\n", b.root, b.files)
	b.root = into
	return nil
}

// room says whether the disk has so many bytes to give.
func (b *bench) room(bytes int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(b.tmp, &disk); err != nil {
		return fmt.Errorf("statfs %s: %w", b.tmp, err)
	}
	if free := int64(disk.Bavail) * disk.Bsize; free < bytes+spare {
		return fmt.Errorf("%s has %d MB free, and %d are needed: set TMPDIR to another disk", b.tmp, free>>20, (bytes+spare)>>20)
	}
	return nil
}

// copyChanged copies one file of from into a directory of into that holds the copy of that number.
func copyChanged(into, from, path string, number int) error {
	text, err := os.ReadFile(filepath.Join(from, path))
	if err != nil {
		return err
	}
	to := filepath.Join(into, fmt.Sprintf("copy%02d", number), path)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, changed(path, text, number), 0o644)
}

// changed is a text of its own for every number but 0: functions are renamed, and what has none gets
// spaces at its end.
func changed(path string, text []byte, number int) []byte {
	if number == 0 {
		return text
	}
	if filepath.Ext(path) == ".go" {
		if renamed := function.ReplaceAll(text, fmt.Appendf(nil, "${1}${2}_c%d", number)); !bytes.Equal(renamed, text) {
			return renamed
		}
	}
	return append(text, bytes.Repeat([]byte(" "), number)...)
}
