package daemon

import (
	"bytes"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/commits"
	"ctxd/index"
)

// Reasons for which the grammar does not judge a file, besides those of package index.
const (
	doubtStanding = "the grammar could not read the committed version either"
	doubtTestData = "in a directory of test data, which may be wrong on purpose, and not under version control"
	doubtUnread   = "not read"
	doubtLink     = "a symbolic link: what it leads to is judged where that stands"
)

// verdict is what is known of one content of one file.
type verdict struct {
	file  *File
	blob  captures.BlobID
	base  commits.ID // the committed version that it was compared with; "": none
	sound bool

	source string // who judged it; "": nobody, for the reason in doubt
	doubt  string
	rows   []diagRow
	checks []string // names of the checkers that judged it
}

// examiner judges the files of one extent.
type examiner struct {
	ws      *Workspace
	history *history
	noSync  bool

	mu       sync.Mutex
	verdicts []*verdict
	sources  []wire.DiagSource // of checkers, with what kept them from judging
	moved    bool              // a file is no longer what was judged
}

// look judges every file of the extent by its grammar, on all processors.
func (x *examiner) look(ctx context.Context, snap *Snapshot, s extent) {
	files := s.of(snap.files)
	verdicts := make([]*verdict, len(files))
	var next atomic.Int32
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				verdicts[i] = x.judge(ctx, snap, files[i])
			}
		})
	}
	workers.Wait()
	if ctx.Err() == nil {
		x.verdicts = slices.DeleteFunc(verdicts, func(v *verdict) bool { return v == nil })
	}
}

// judge judges one file; nil when it is gone.
func (x *examiner) judge(ctx context.Context, snap *Snapshot, f *File) *verdict {
	v := &verdict{file: f, blob: f.blob()}
	switch {
	case f.Link:
		v.doubt = doubtLink
	case f.Facts == nil:
		v.doubt = doubtUnread
	case f.problem() != "":
		v.doubt = strings.TrimPrefix(f.problem(), quarantined)
		if strings.HasPrefix(f.problem(), quarantined) {
			v.doubt = "in quarantine"
		} else {
			v.doubt = doubtUnread
		}
	case f.Facts.Status == index.Binary:
		v.doubt = "binary"
	case f.Facts.Language == "" || f.Facts.Language == "markdown":
		v.doubt = index.DoubtNoLanguage
	case f.Facts.Status != index.Parsed:
		v.doubt = f.Facts.Status.String()
	case len(f.Facts.Errors) == 0 && !index.Judged(f.Facts.Language):
		v.source = index.TreeSitter
	default:
		return x.examine(ctx, snap, f)
	}
	return v
}

// examine compares one file with its committed version.
func (x *examiner) examine(ctx context.Context, snap *Snapshot, f *File) *verdict {
	ws := x.ws
	base := x.history.file(f.Path)
	if known := ws.diags.known(f.Path); known != nil && known.blob == f.blob() && known.base == base && known.sound == ws.diags.wasSound(f.Path) {
		again := *known
		again.file = f
		return &again
	}
	t, err := ws.text(ctx, f.Path)
	if refusal(err) == wire.NotFound {
		return nil
	}
	if err != nil {
		return &verdict{file: f, blob: f.blob(), doubt: doubtUnread}
	}
	facts := &f.Facts.File
	if t.Blob != f.blob() {
		facts, _ = ws.facts(ctx, snap, t)
	}
	v := &verdict{file: f, blob: t.Blob, base: base, sound: ws.diags.wasSound(f.Path)}
	x.compare(v, t, facts)
	if !t.Racy {
		ws.diags.keep(f.Path, v)
	}
	return v
}

// compare fills the verdict of t.
func (x *examiner) compare(v *verdict, t *Text, facts *index.File) {
	unchanged := v.base != "" && commits.Blob(t.Src(), v.base) == v.base
	switch {
	case unchanged && len(facts.Errors) == 0:
		v.source = index.TreeSitter
		if facts.Language == "go" {
			v.source = index.GoParser
		}
		return
	case unchanged:
		v.doubt = doubtStanding
		return
	}
	base := index.Base{Sound: v.sound}
	if v.base != "" {
		base.Src = x.history.read(v.base, t.Src())
	}
	d := index.Diagnose(t.Path, t.Src(), base)
	if len(d.Faults) > 0 && !v.sound && !x.history.any() && inTestData(t.Path) {
		d = index.Diagnosis{Doubt: doubtTestData}
	}
	v.source, v.doubt = d.Source, d.Doubt
	if v.doubt != "" {
		v.source = ""
	}
	for _, f := range d.Faults {
		v.rows = append(v.rows, faultRow(t, f, d.Source))
	}
}

// inTestData says whether a path lies in a directory whose files may be wrong on purpose. Where a repository knows
// which files are committed, nobody needs to guess.
func inTestData(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "testdata", "test", "tests", "fixtures", "__fixtures__":
			return true
		}
	}
	return false
}

// rows are the rows of all files, in order.
func (x *examiner) rows() []diagRow {
	var all []diagRow
	for _, v := range x.verdicts {
		all = append(all, v.rows...)
	}
	slices.SortFunc(all, compareRows)
	return slices.Compact(all)
}

const reasonPaths = 5

// coverage counts who judged how many files.
func (x *examiner) coverage(c wire.Coverage) wire.DiagCoverage {
	cov := wire.DiagCoverage{Coverage: c, Scope: len(x.verdicts), Sources: []wire.DiagSource{}, Reasons: []wire.DiagReason{}}
	sources, reasons := map[string]int{}, map[string]*wire.DiagReason{}
	for _, v := range x.verdicts {
		if v.source != "" {
			sources[v.source]++
		}
		for _, name := range v.checks {
			sources[name]++
		}
		if v.source != "" || len(v.checks) > 0 {
			cov.Checked++
			cov.Bytes += v.file.Stat.Size
			continue
		}
		cov.Unchecked++
		r := reasons[v.doubt]
		if r == nil {
			r = &wire.DiagReason{Reason: v.doubt}
			reasons[v.doubt] = r
		}
		if r.Files++; len(r.Paths) < reasonPaths {
			r.Paths = append(r.Paths, wire.RepoRef(v.file.Path))
		}
	}
	for _, s := range x.sources { // checkers, also those that judged nothing
		s.Files = sources[s.Name]
		delete(sources, s.Name)
		cov.Sources = append(cov.Sources, s)
	}
	for name, n := range sources {
		cov.Sources = append(cov.Sources, wire.DiagSource{Name: name, Files: n})
	}
	slices.SortFunc(cov.Sources, func(a, b wire.DiagSource) int { return strings.Compare(a.Name, b.Name) })
	for _, r := range reasons {
		cov.Reasons = append(cov.Reasons, *r)
	}
	slices.SortFunc(cov.Reasons, func(a, b wire.DiagReason) int { return strings.Compare(a.Reason, b.Reason) })
	return cov
}

// endings gives base the line ends of src: git may have changed them on the way into the worktree.
func endings(base, src []byte) []byte {
	if bytes.Contains(src, []byte("\r\n")) && !bytes.Contains(base, []byte("\r\n")) {
		return bytes.ReplaceAll(base, []byte("\n"), []byte("\r\n"))
	}
	return base
}
