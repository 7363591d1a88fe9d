package index

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden listings in languages/*/*.txtar")

// TestLanguages lists the definitions of the files in each archive and compares the list with the
// archive's last file, "want". See languages/README.md.
func TestLanguages(t *testing.T) {
	for _, l := range languages {
		archives, err := filepath.Glob("languages/" + l.name + "/*.txtar")
		if err != nil || len(archives) == 0 {
			t.Errorf("languages/%s has no test archive (%v)", l.name, err)
		}
		for _, name := range archives {
			t.Run(strings.TrimSuffix(strings.TrimPrefix(name, "languages/"), ".txtar"), func(t *testing.T) { testArchive(t, name) })
		}
	}
}

func testArchive(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	var want string
	kept := archive.Files[:0]
	world := newArchiveWorld(archive)
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		kept = append(kept, f)
		src := unescape(f.Data)
		file := Build(f.Name, src)
		checkFile(t, f.Name, src, file)
		if strings.HasPrefix(filepath.Base(name), "refs") {
			got.WriteString(refListing(world, f.Name, src, file))
		} else {
			got.WriteString(listing(f.Name, src, file))
		}
	}
	if *update {
		archive.Files = append(kept, txtar.File{Name: "want", Data: got.Bytes()})
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, got.String()); diff != "" {
		t.Errorf("%s (-want +got; go test ./index -update accepts)\n%s", name, diff)
	}
}

// unescape gives an archive the bytes that its text cannot hold: ␀ NUL, ␍ CR, ␤ no byte at all
// (before the last line break: the file has none), ⓧ the Latin-1 byte E9.
func unescape(data []byte) []byte {
	return []byte(strings.NewReplacer("␤\n", "", "␀", "\x00", "␍", "\r", "ⓧ", "\xe9").Replace(string(data)))
}

// refListing has one line for each import and each reference but declarations: line:column (of bytes, from 1), name, role,
// what it is looked up in, and what it is bound to among the files of the archive.
func refListing(w World, path string, src []byte, f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", path, f.Language)
	at := func(offset uint32) string {
		before := string(src[:offset])
		return fmt.Sprintf("%d:%d", 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n"))
	}
	for _, m := range f.Imports {
		fmt.Fprintf(&b, "  %s import %q", at(m.Start), m.Path)
		if m.Name != "" {
			fmt.Fprintf(&b, " name %s", m.Name)
		}
		if m.Alias != "" {
			fmt.Fprintf(&b, " as %s", m.Alias)
		}
		if m.Export {
			b.WriteString(" exported")
		}
		b.WriteByte('\n')
	}
	resolver := NewResolver(w)
	refs := slices.SortedFunc(f.AllRefs(), func(a, b Ref) int { return cmp.Compare(a.Start, b.Start) })
	for _, r := range refs {
		if r.Role == Declaration {
			continue
		}
		name := string(src[r.Start:r.End])
		fmt.Fprintf(&b, "  %s %s %v: %s", at(r.Start), name, r.Role, viaText(f, r.Via))
		found, verdict := resolver.Resolve(path, f, r, name)
		for _, s := range found {
			d := &w.File(s.Path).Defs[s.Def]
			fmt.Fprintf(&b, " -> %s %v %s", s.Path, d.Kind, d.Qualified())
			if same := w.File(s.Path); slices.ContainsFunc(same.Defs, func(o Def) bool { return o.NameStart != d.NameStart && o.Qualified() == d.Qualified() }) {
				fmt.Fprintf(&b, " L%d", lineOf(unescape(w.Read(s.Path)), d.NameStart))
			}
		}
		b.WriteString([]string{Open: " (open)\n", Bound: "\n", Member: " (member)\n", Elsewhere: " (elsewhere)\n"}[verdict])
	}
	return b.String()
}

func viaText(f *File, v Via) string {
	path := v.Path
	if path != "" {
		path = " " + path
	}
	switch v.Root {
	case RootFree:
		return "free" + path
	case RootFile:
		return "file" + path
	case RootImport:
		return fmt.Sprintf("import %q%s", strings.Trim(f.Imports[v.Import].Path+" "+f.Imports[v.Import].Name, " "), path)
	case RootAlias:
		return fmt.Sprintf("alias of %q", strings.Trim(f.Imports[v.Import].Path+" "+f.Imports[v.Import].Name, " "))
	case RootModule:
		return fmt.Sprintf("in %q", f.Imports[v.Import].Path)
	}
	if v.Root == RootValue {
		return "value"
	}
	return "unknown"
}

// listing has one line for the file and one for each definition: kind, qualified name, lines of the
// range, line of the name, lines of the doc comment, signature.
func listing(path string, src []byte, f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", path, f.Language)
	if f.Module != "" {
		fmt.Fprintf(&b, " module %s", f.Module)
	}
	if f.Status != Parsed {
		fmt.Fprintf(&b, ", %v", f.Status)
	}
	for _, e := range f.Errors {
		fmt.Fprintf(&b, ", error L%d", lineOf(src, e.Start))
	}
	b.WriteString("\n")
	for _, d := range f.Defs {
		fmt.Fprintf(&b, "  %v %s L%d:%d name L%d", d.Kind, d.Qualified(), lineOf(src, d.Start), lineOf(src, max(d.Start+1, d.End)-1), lineOf(src, d.NameStart))
		if d.DocEnd > 0 {
			fmt.Fprintf(&b, " doc L%d:%d", lineOf(src, d.DocStart), lineOf(src, d.DocEnd-1))
		}
		fmt.Fprintf(&b, " %q\n", src[d.SigStart:d.SigEnd])
	}
	return b.String()
}

func lineOf(src []byte, at uint32) int {
	s := string(src[:at])
	return 1 + strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// checkFile holds what is true of every description of every file.
func checkFile(t *testing.T, path string, src []byte, f *File) {
	t.Helper()
	checkRefs(t, path, src, f)
	size := uint32(len(src))
	start := uint32(0)
	for _, d := range f.Defs {
		switch {
		case d.Start < start || d.Start > d.NameStart || d.NameStart > d.NameEnd || d.NameEnd > d.End || d.End > size:
			t.Errorf("%s: range of %+v, size %d", path, d, size)
		case d.Start > d.SigStart || d.SigStart > d.SigEnd || d.SigEnd > d.End:
			t.Errorf("%s: signature of %+v", path, d)
		case d.DocStart > d.DocEnd || d.DocEnd > size || (d.DocEnd > 0) != (d.DocStart < d.DocEnd):
			t.Errorf("%s: doc of %+v", path, d)
		case d.Name != string(src[d.NameStart:d.NameEnd]) || d.Name == "":
			t.Errorf("%s: name %q, source has %q", path, d.Name, src[d.NameStart:d.NameEnd])
		case d.Kind == 0 || int(d.Kind) >= len(kindNames):
			t.Errorf("%s: kind of %+v", path, d)
		}
		start = d.Start
	}
	for _, e := range f.Errors {
		if e.Start > e.End || e.End > size {
			t.Errorf("%s: error %+v, size %d", path, e, size)
		}
	}
}

// checkRefs: every reference lies in the source, is found by its name, and means an import that there is.
func checkRefs(t testing.TB, path string, src []byte, f *File) {
	t.Helper()
	for _, m := range f.Imports {
		if m.Start > m.End || int(m.End) > len(src) || int(m.AliasStart) > len(src) {
			t.Fatalf("%s: import out of range: %+v", path, m)
		}
	}
	before := 0
	for r := range f.AllRefs() {
		if r.Start >= r.End || int(r.End) > len(src) {
			t.Fatalf("%s: reference out of range: %+v", path, r)
		}
		name := string(src[r.Start:r.End])
		if !f.HasRefs(name) || !slices.Contains(f.Refs(name), r) {
			t.Fatalf("%s: %q at %d is not found by its name", path, name, r.Start)
		}
		if before++; before > 2000 {
			return // enough of a big file
		}
	}
}
