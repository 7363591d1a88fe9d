package daemon

import (
	"context"
	"errors"
	"io"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/grep"
	"ctxd/watch"
)

// tally is what a scan found in one file.
type tally struct {
	state           fate
	matching, lines int    // of a scanned one
	problem         string // of an unreadable one
}

// fate is what became of a file in a scan.
type fate uint8

const (
	outsideFile    fate = iota // of the scope
	scannedFile                // read, and its lines compared
	binaryFile                 // read as far as the NUL
	secretFile                 // not read
	unreadableFile             // it exists, and cannot be read
	vanishedFile               // it does not exist any more
)

// scan counts the matching lines of files, on all processors. What is known already is not read again.
func (s *search) scan(ctx context.Context, files []*File) ([]tally, error) {
	s.ws.courtesy.begin(time.Now())
	defer func() { s.ws.courtesy.end(time.Now()) }()
	tallies := make([]tally, len(files))
	var next atomic.Int32
	var scanners sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		scanners.Go(func() {
			sc := &scanner{search: s, disk: s.ws.disk.Load(), matcher: s.set.Matcher(func() bool { return ctx.Err() != nil })}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if known, ok := s.known[files[i]]; ok {
					tallies[i] = known
				} else {
					tallies[i] = sc.file(ctx, files[i])
				}
			}
		})
	}
	scanners.Wait()
	return tallies, ctx.Err()
}

// scanner is one goroutine of a scan.
type scanner struct {
	*search
	disk    *disk
	matcher *grep.Matcher
	buf     []byte // one file after the other is read into it

	dir     string // whose names were judged last
	dirKept bool   // by the policy
}

// file counts the matching lines of one file.
func (sc *scanner) file(ctx context.Context, f *File) tally {
	if sc.kept(f.Path) {
		return tally{state: secretFile}
	}
	if t, ok := sc.listed(ctx, f); ok {
		return t
	}
	t, err := sc.ws.text(ctx, f.Path) // it changed since it was listed: as for an answer
	switch word := refusal(err); {
	case err == nil:
		return sc.count(f.Path, t.Src())
	case word == wire.NotFound:
		return tally{state: vanishedFile}
	case word == wire.PathDenied && sc.ws.allowed(f.Path, sc.ws.real(f.Path)) != nil:
		return tally{state: secretFile}
	}
	return tally{state: unreadableFile, problem: err.Error()}
}

// listed is the tally of a file that is still what the snapshot lists. Of big files one is held at a time.
func (sc *scanner) listed(ctx context.Context, f *File) (tally, bool) {
	if f.Stat.Size > bigFile {
		select {
		case sc.ws.big <- struct{}{}:
			defer func() { <-sc.ws.big }()
		case <-ctx.Done():
			return tally{}, true
		}
	}
	src, ok := sc.read(f)
	if !ok {
		return tally{}, false
	}
	return sc.count(f.Path, src), true
}

func (sc *scanner) count(name string, src []byte) tally {
	switch {
	case isBinary(src):
		return tally{state: binaryFile}
	case !sc.scope.inLanguage(name, src):
		return tally{state: outsideFile}
	}
	matching, lines := sc.matcher.Count(src)
	return tally{state: scannedFile, matching: matching, lines: lines}
}

// kept says whether the policy keeps a file back. Its directory is judged once for all files in it.
func (sc *scanner) kept(name string) bool {
	dir, base := path.Split(name)
	if dir != sc.dir || dir == "" {
		sc.dir, sc.dirKept = dir, dir != "" && sc.ws.allowed(dir, "") != nil
	}
	return sc.dirKept || sc.ws.secret(base)
}

const (
	// sniff is how much of a file is read first: the NUL of a binary one stands in the first 8 KiB.
	sniff = 64 << 10
	// keepBuffer is the largest buffer that is kept for the next file.
	keepBuffer = 1 << 20
)

// read is the bytes of a file that is what the snapshot lists, valid until the next call, or as many as show
// that it is binary. In four system calls: a look at the descriptor tells that it is the listed file, so
// that no link leads elsewhere. A write under way is not waited for, since it has not finished.
func (sc *scanner) read(f *File) ([]byte, bool) {
	if f.Stat.Size > maxRead {
		return nil, false
	}
	file, err := sc.disk.open(f.Path)
	if err != nil {
		return nil, false
	}
	defer file.close()
	if st, err := watch.StatDescriptor(file.fd); err != nil || st != f.Stat {
		return nil, false
	}
	size := int(f.Stat.Size) + 1 // one more byte tells the end
	if cap(sc.buf) < size {
		sc.buf = make([]byte, max(size, sniff))
	}
	buf := sc.buf[:size]
	if cap(sc.buf) > keepBuffer {
		sc.buf = nil
	}
	n := 0
	for n < size {
		k, err := file.Read(buf[n:min(size, max(sniff, 8*n))])
		if n += k; errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, false
		}
		if n == size-1 || isBinary(buf[:n]) {
			break
		}
	}
	return buf[:n], true
}
