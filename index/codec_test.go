package index

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// roundTrip encodes and decodes, and returns the binary form.
func roundTrip(t *testing.T, path string, f *File) []byte {
	t.Helper()
	prefix := []byte("before")
	b, err := f.AppendBinary(prefix)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !bytes.HasPrefix(b, prefix) {
		t.Fatalf("%s: what stood there before is gone", path)
	}
	b = b[len(prefix):]
	again, err := f.AppendBinary(nil)
	if err != nil || !bytes.Equal(b, again) {
		t.Fatalf("%s: two forms of one file (%v)", path, err)
	}
	back, err := Decode(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !reflect.DeepEqual(f, back) {
		t.Fatalf("%s: %+v\nis read back as\n%+v", path, f, back)
	}
	return b
}

func TestCodecArchives(t *testing.T) {
	for _, f := range archived(t) {
		roundTrip(t, f.Name, Build(f.Name, unescape(f.Data)))
	}
}

// Some hundred files of the standard library, others each time the library changes.
func TestCodecSources(t *testing.T) {
	var paths []string
	err := filepath.WalkDir(filepath.Join(runtime.GOROOT(), "src"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defs, size, read := 0, 0, 0
	for i := 0; i < len(paths); i += 50 {
		src, err := os.ReadFile(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		f := Build(paths[i], src)
		if f.Status == Parsed {
			read += len(src)
		}
		defs += len(f.Defs)
		size += len(roundTrip(t, paths[i], f))
	}
	if defs < 1000 || size*3 > read {
		t.Errorf("%d definitions and their references in %d bytes, of %d of source: want thousands in less than a third", defs, size, read)
	}
}

// What no grammar is needed for, and the edges of each field.
func TestCodecEdges(t *testing.T) {
	def := Def{Name: "f", Kind: Function, Start: 10, SigStart: 12, NameStart: 12, NameEnd: 13, SigEnd: 14, End: 20}
	with := func(edit func(*Def)) *File {
		d := def
		edit(&d)
		return &File{Language: "go", Defs: []Def{def, d}}
	}
	for name, f := range map[string]*File{
		"nothing":       {},
		"binary":        {Status: Binary},
		"failed":        {Language: "rust", Status: Failed},
		"module":        {Language: "python", Module: "a.b.c"},
		"errors":        {Language: "go", Errors: []Range{{0, 0}, {5, 9}, {2, MaxSize}, {MaxSize, MaxSize}}},
		"doc before":    with(func(d *Def) { d.DocEnd = 9 }),
		"doc inside":    with(func(d *Def) { d.DocStart, d.DocEnd = 15, 20 }),
		"doc far":       with(func(d *Def) { d.DocStart, d.DocEnd = MaxSize-1, MaxSize }),
		"no decorators": with(func(d *Def) { d.SigStart = 10 }),
		"large": with(func(d *Def) {
			d.Start, d.SigStart, d.NameStart = 11, MaxSize-5, MaxSize-1
			d.NameEnd, d.SigEnd, d.End = MaxSize, MaxSize, MaxSize
		}),
		"bytes":           with(func(d *Def) { d.Name = "\xff"; d.Container = "\x00" }),
		"container":       with(func(d *Def) { d.Container = "a.b" }),
		"containers":      {Defs: []Def{in(def, "a"), in(def, "b"), def, in(def, "a"), in(def, "a"), in(def, "b"), in(def, "c")}},
		"many containers": {Defs: manyContainers(def, 300)},
	} {
		t.Run(name, func(t *testing.T) { roundTrip(t, name, f) })
	}
}

func in(d Def, container string) Def { d.Container = container; return d }

func manyContainers(d Def, n int) []Def {
	var defs []Def
	for i := range 2 * n {
		defs = append(defs, in(d, strings.Repeat("x", 1+i%n)))
	}
	return defs
}

// A File that Build cannot have made has no form, so that whatever has one can be read back.
func TestCodecRefuses(t *testing.T) {
	good := Def{Name: "f", Kind: Function, Start: 10, SigStart: 12, NameStart: 12, NameEnd: 13, SigEnd: 14, End: 20}
	for name, edit := range map[string]func(*Def){
		"kind 0":         func(d *Def) { d.Kind = 0 },
		"kind":           func(d *Def) { d.Kind = Heading + 1 },
		"order":          func(d *Def) { d.Start = 9 },
		"name before":    func(d *Def) { d.NameStart, d.NameEnd = 9, 10 },
		"name behind":    func(d *Def) { d.NameStart, d.NameEnd = 20, 21 },
		"name backwards": func(d *Def) { d.NameStart = 14 },
		"name's length":  func(d *Def) { d.Name = "ff" },
		"no name":        func(d *Def) { d.Name, d.NameEnd = "", 12 },
		"signature":      func(d *Def) { d.SigEnd = 21 },
		"signature two":  func(d *Def) { d.SigStart = 15 },
		"signature ere":  func(d *Def) { d.SigStart = 9 },
		"doc":            func(d *Def) { d.DocStart, d.DocEnd = 9, 8 },
		"empty doc":      func(d *Def) { d.DocStart, d.DocEnd = 9, 9 },
		"doc behind":     func(d *Def) { d.DocStart, d.DocEnd = 9, MaxSize+1 },
		"end":            func(d *Def) { d.End = MaxSize + 1 },
	} {
		d := good
		edit(&d)
		f := &File{Language: "go", Defs: []Def{good, d}}
		b, err := f.AppendBinary([]byte("x"))
		var invalid *InvalidFileError
		if !errors.As(err, &invalid) || invalid.Def != 1 || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	for name, f := range map[string]*File{
		"language":         {Language: "klingon"},
		"status":           {Status: Failed + 1},
		"error":            {Errors: []Range{{2, 1}}},
		"error's end":      {Errors: []Range{{2, MaxSize + 1}}},
		"number of errors": {Errors: make([]Range, maxErrors+1)},
	} {
		b, err := f.AppendBinary([]byte("x"))
		var invalid *InvalidFileError
		if !errors.As(err, &invalid) || invalid.Def != -1 || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// The names of a decoded file are pieces of one string, and a container is there once.
func TestDecodeShares(t *testing.T) {
	f := Build("a.go", []byte("package p\n\ntype T struct{ a, b int }\n\nfunc (T) m() {}\n\nfunc f() {}\n\nfunc (T) n() {}\n"))
	back, err := Decode(roundTrip(t, "a.go", f))
	if err != nil {
		t.Fatal(err)
	}
	low, high, total := ^uintptr(0), uintptr(0), 0
	containers := map[*byte]bool{}
	for _, d := range back.Defs {
		p := unsafe.StringData(d.Name)
		low, high = min(low, uintptr(unsafe.Pointer(p))), max(high, uintptr(unsafe.Pointer(p))+uintptr(len(d.Name)))
		total += len(d.Name)
		if d.Container != "" {
			total++
			containers[unsafe.StringData(d.Container)] = true
		}
	}
	if len(back.Defs) != 6 || len(containers) != 1 || int(high-low) > total {
		t.Errorf("%d definitions, %d containers, names over %d bytes, want 6, 1, at most %d", len(back.Defs), len(containers), high-low, total)
	}
}

// anySource is as long as a source can be.
var anySource = make([]byte, MaxSize)

// checkDecoded: whatever Decode accepts keeps the promises of file.go, and has a form of its own.
func checkDecoded(t *testing.T, b []byte) {
	t.Helper()
	f, err := Decode(b)
	if err != nil {
		var decode *DecodeError
		if !errors.As(err, &decode) || f != nil || decode.Offset < 0 || decode.Offset > len(b) {
			t.Fatalf("%v, %#v", f, err)
		}
		return
	}
	if f.Language != "" && !slices.Contains(Languages(), f.Language) || f.Status > Failed || len(f.Errors) > maxErrors {
		t.Errorf("%+v", f)
	}
	src := anySource
	start := uint32(0)
	for _, d := range f.Defs {
		if d.Start < start || len(d.Name) != int(d.NameEnd-d.NameStart) || d.Name == "" {
			t.Errorf("%+v", d)
		}
		_, _, _, _, _ = src[d.Start:d.End], src[d.Start:d.SigStart], src[d.SigStart:d.SigEnd], src[d.SigEnd:d.End], src[d.DocStart:d.DocEnd]
		_, _, _ = src[d.Start:d.NameStart], src[d.NameStart:d.NameEnd], src[d.NameEnd:d.End]
		if d.Kind == 0 || d.Kind > Heading || (d.DocEnd > 0) != (d.DocStart < d.DocEnd) {
			t.Errorf("%+v", d)
		}
		start = d.Start
	}
	for _, e := range f.Errors {
		_ = src[e.Start:e.End]
	}
	again, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatalf("%+v was accepted: %v", f, err)
	}
	if back, err := Decode(again); err != nil || !reflect.DeepEqual(back, f) {
		t.Fatalf("%+v: %v, %+v", f, err, back)
	}
}

func FuzzDecode(f *testing.F) {
	for _, file := range archived(f) {
		b, err := Build(file.Name, unescape(file.Data)).AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(checkDecoded)
}

// Damage at every bit, and at every length: never a panic, never a broken promise.
func TestDecodeDamaged(t *testing.T) {
	src := []byte("package p\n\n// T is.\ntype T struct{ a, b int }\n\n// M does.\nfunc (T) m() {}\n\nfunc ) {\n\nvar x = 1\n")
	good := roundTrip(t, "a.go", Build("a.go", src))
	for i := range good {
		checkDecoded(t, good[:i])
		if _, err := Decode(good[:i]); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", i, len(good))
		}
		for bit := range 8 {
			b := bytes.Clone(good)
			b[i] ^= 1 << bit
			checkDecoded(t, b)
		}
	}
	if _, err := Decode(append(bytes.Clone(good), 0)); err == nil {
		t.Error("a byte too many was accepted")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 { // several bytes at once, mostly small ones as numbers are
		b := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			b[random.IntN(len(b))] = byte(random.IntN(1 << (1 + random.IntN(8))))
		}
		checkDecoded(t, b)
	}
}

// What only a forger would write.
func TestDecodeRefuses(t *testing.T) {
	forge := func(module, errors, defs byte, rest ...byte) []byte {
		return append([]byte{form, 0, 0, module, errors, defs, 0}, rest...)
	}
	const head = byte(Function) | headSame | headPlain
	good := forge(0, 0, 1, head, 0, 0, 1, 0, 1, 0, 'f', 1, 0, 0, 0)
	if f, err := Decode(good); err != nil || len(f.Defs) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	for name, b := range map[string][]byte{
		"form":          append([]byte{form + 1}, good[1:]...),
		"status":        {form, byte(Failed) + 1, 0, 0, 0, 0, 0, 0, 0, 0},
		"end":           forge(0, 0, 1, head, 0, 0, 1, 0, 0x81, 0x80, 0x80, 2, 0, 'f', 1, 0, 0, 0),
		"start":         forge(0, 0, 1, head, 0x81, 0x80, 0x80, 2, 0, 1, 0, 1, 0, 'f', 1, 0, 0, 0),
		"name":          forge(0, 0, 1, head, 0, 1, 1, 0, 1, 0, 'f', 1, 0, 0, 0),
		"error":         forge(0, 1, 0, 1, 0x80, 0x80, 0x80, 2, 0, 0, 0, 0, 0),
		"doc behind":    forge(0, 0, 1, head|headDoc, 0, 0, 1, 0, 1, 0x81, 0x80, 0x80, 4, 1, 0, 'f', 1, 0, 0, 0),
		"doc before":    forge(0, 0, 1, head|headDoc, 0, 0, 1, 0, 1, 2, 1, 0, 'f', 1, 0, 0, 0),
		"no container":  forge(0, 0, 1, head&^headSame, 0, 0, 1, 0, 1, 2, 0, 'f', 1, 0, 0, 0),
		"empty one":     forge(0, 0, 1, head&^headSame, 0, 0, 1, 0, 1, 1, 0, 0, 'f', 1, 0, 0, 0),
		"text left":     forge(0, 0, 1, head, 0, 0, 1, 0, 1, 0, 'f', 'f', 2, 0, 0, 0),
		"bytes left":    forge(0, 0, 1, head, 0, 0, 1, 0, 1, 0, 7, 'f', 1, 0, 0, 0),
		"references":    forge(0, 0, 1, head, 0, 0, 1, 0, 1, 9, 'f', 1, 0, 0, 0),
		"import":        {form, 0, 0, 0, 0, 0, 1, 0, 0x81, 0x80, 0x80, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"imports":       {form, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"text too long": forge(0, 0, 1, head, 0, 0, 1, 0, 1, 0, 'f', 99, 0, 0, 0),
	} {
		if f, err := Decode(b); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// Bytes that promise much get little memory.
func TestDecodeAllocates(t *testing.T) {
	for name, b := range map[string][]byte{
		"definitions": {form, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0},
		"imports":     {form, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0},
		"errors":      {form, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0},
		"text":        {form, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"module":      {form, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0},
		"language":    {form, 0, 0xff, 0, 0, 0, 0, 0, 0, 0},
		"number":      {form, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(b)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 4096 {
			t.Errorf("%s: %v, %d bytes allocated for %d", name, err, n, len(b))
		}
	}
}

// BenchmarkCodec is where the numbers in codec.go come from: all files of the standard library, one
// core; gob is what the form was chosen over.
func BenchmarkCodec(b *testing.B) {
	var files []*File
	defs := 0
	for path, src := range sources(b) {
		f := Build(path, src)
		files = append(files, f)
		defs += len(f.Defs)
	}
	run := func(b *testing.B, encode func(*File) ([]byte, error), decode func([]byte) (*File, error)) {
		forms := make([][]byte, len(files))
		size := 0
		b.Run("encode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				size = 0
				for i, f := range files {
					var err error
					if forms[i], err = encode(f); err != nil {
						b.Fatal(err)
					}
					size += len(forms[i])
				}
			}
			b.SetBytes(int64(size))
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*defs), "ns/def")
		})
		b.Run("decode", func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, form := range forms {
					if _, err := decode(form); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*defs), "ns/def")
		})
	}
	b.Run("ours", func(b *testing.B) {
		run(b, func(f *File) ([]byte, error) { return f.AppendBinary(nil) }, Decode)
	})
	b.Run("gob", func(b *testing.B) {
		run(b, func(f *File) ([]byte, error) {
			var buf bytes.Buffer
			err := gob.NewEncoder(&buf).Encode(f)
			return buf.Bytes(), err
		}, func(form []byte) (*File, error) {
			f := &File{}
			return f, gob.NewDecoder(bytes.NewReader(form)).Decode(f)
		})
	})
}
