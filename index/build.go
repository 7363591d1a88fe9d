package index

import (
	"bytes"
	"strings"
	"time"

	"ctxd/index/internal/sitter"
)

// MaxSize is the size in bytes above which a file is not parsed.
const MaxSize = 4 << 20

// sniff is how many bytes are looked at for a NUL.
const sniff = 8 << 10

// budget is what parsing a file of that many bytes may take. Sound code takes at most 18,000 of work for each MiB; the
// allowance is for error recovery, which takes more.
func budget(size int) sitter.Budget {
	return sitter.Budget{Work: 200_000 + uint64(size)*100_000>>20, Time: 10*time.Second + time.Duration(size)*5*time.Second>>20}
}

// Build describes the file with that path, relative to its root with slashes, and those bytes. It is
// a pure function of the two, but for what is made to take long: it may be too much on a slow machine and not on a fast
// one (Status says so), whatever else either has to do. Safe for concurrent use. It does not panic, whatever the
// bytes; what it cannot survive is a crash inside the grammar's C code, for which callers that must
// survive keep a child process.
func Build(path string, src []byte) *File {
	f, l := open(path, src)
	if f.Status == Parsed {
		l.describe(f, path, src, budget(len(src)))
	}
	return f
}

// ParseOnly does of Build's work only the parse, and says whether it was done. It is the floor that
// ctxbench measures Build against.
func ParseOnly(path string, src []byte) bool {
	f, l := open(path, src)
	if f.Status != Parsed {
		return false
	}
	q, err := l.load()
	return err == nil && q.language.Parse(l.sanitized(src), budget(len(src))) == sitter.Done
}

// open does what needs no parser. Status is Parsed when the file is to be parsed.
func open(path string, src []byte) (*File, *language) {
	l := languageOf(path, src)
	f := &File{}
	if l != nil {
		f.Language = l.name
	}
	switch {
	case bytes.IndexByte(src[:min(len(src), sniff)], 0) >= 0:
		f.Status = Binary
	case l == nil:
		f.Status = NoLanguage
	case len(src) > MaxSize:
		f.Status = TooLarge
	}
	return f, l
}

// describe fills f. A panic here is our fault and leaves f empty with Status Failed: one file less
// is better than one daemon less.
func (l *language) describe(f *File, path string, src []byte, budget sitter.Budget) {
	defer func() {
		if recover() != nil {
			*f = File{Language: l.name, Status: Failed}
		}
	}()
	s := takeScratch()
	l.bound(f, path, src, budget, s, func(b *binder) {
		b.emit()
		f.refs = b.encode()
	})
	s.give()
}

// bound fills f but for its references, and gives use the binder that knows them, which is the scratch's; it is not called
// when the file could not be read.
func (l *language) bound(f *File, path string, src []byte, budget sitter.Budget, s *scratch, use func(*binder)) {
	q, err := l.load()
	if err != nil {
		f.Status = Failed
		return
	}
	sanitized := l.sanitized(src)
	q.language.With(sanitized, budget, func(facts sitter.Facts) {
		if facts.Outcome != sitter.Done {
			f.Status = BudgetWork
		}
		for _, e := range facts.Errors {
			f.Errors = append(f.Errors, Range(e))
		}
		c := q.collect(src, facts.Captures, s)
		if l.module != nil {
			f.Module = l.module(path, c.module)
		}
		c.keep = l.valuesAreLocal
		c.widen()
		c.sections()
		if !c.nest(f) {
			f.Status = BudgetDepth
		}
		b := newBinder(l, src, f, l.words(src, sanitized, named(facts.Marks, c.locals)), s)
		b.ambient = strings.Contains(path, ".d.")
		b.bind(c.locals)
		use(b)
	})
}

// sanitized is what the parser gets to see. Grammars take only a line feed for the end of a line: in a
// file whose lines end in carriage returns alone the first line comment would swallow the rest. A
// sanitizer that changes the length would shift every offset, so its answer is not used.
func (l *language) sanitized(src []byte) []byte {
	out := lineFeeds(src)
	if l.sanitize != nil {
		if better := l.sanitize(out); len(better) == len(src) {
			out = better
		}
	}
	return out
}

// lineFeeds is src with line feeds for carriage returns where those alone end its lines, else src.
func lineFeeds(src []byte) []byte {
	if bytes.IndexByte(src, '\n') < 0 && bytes.IndexByte(src, '\r') >= 0 {
		return bytes.ReplaceAll(src, []byte{'\r'}, []byte{'\n'})
	}
	return src
}
