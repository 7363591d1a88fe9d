package facts

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/watch"
)

// rows are n files as they stand in a tree: in order of path, with times and inodes all over.
func rows(n int) []Row {
	var all []Row
	for i := range n {
		h := sha256.Sum256(fmt.Append(nil, i))
		mtime := int64(1_700_000_000_000_000_000) + int64(h[0])<<32 + int64(h[1])
		all = append(all, Row{
			Path: fmt.Sprintf("pkg/dir%03d/sub%d/a_file_name_%05d.go", i/100, i/10%10, i),
			Stat: watch.Stat{Dev: 66, Ino: 1<<20 + uint64(h[2])<<8 + uint64(i), Size: int64(h[3]) << 5, Mtime: mtime,
				Ctime: mtime + int64(h[4])<<20, Mode: 0o100644},
			Blob: h,
		})
	}
	return all
}

func TestManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "manifests") // made by the first save
	const id = "/home/me/work tree\n/../x"
	if got, ok := LoadManifest(dir, id, "v1"); ok || got != nil {
		t.Errorf("before any save: %d rows", len(got))
	}
	for _, want := range [][]Row{rows(300), rows(1), {}, rows(2000)} {
		if err := SaveManifest(dir, id, "v1", want); err != nil {
			t.Fatal(err)
		}
		got, ok := LoadManifest(dir, id, "v1")
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows are read back as %d, %v", len(want), len(got), ok)
		}
	}
	for _, other := range [][2]string{{id, "v2"}, {id + "x", "v1"}, {"", "v1"}, {id, ""}} {
		if _, ok := LoadManifest(dir, other[0], other[1]); ok {
			t.Errorf("%q has a manifest", other)
		}
	}
	// Under the name of another id, as a copy would be.
	if err := os.Rename(manifestPath(dir, id), manifestPath(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if _, ok := LoadManifest(dir, "other", "v1"); ok {
		t.Error("the manifest of another workspace was accepted")
	}
	if info, err := os.Stat(manifestPath(dir, "other")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Every field of every row comes back, at its limits and in any order. A field that is added to Stat
// and forgotten here is found by the loop.
func TestManifestFields(t *testing.T) {
	dir := t.TempDir()
	all := []Row{{Path: "b"}, {Path: "a/b/c"}, {Path: "a"}, {Path: ""}, {Path: "\xff\x00\n"}, {Path: "a"}}
	for _, value := range []uint64{0, 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1, 5} {
		row := Row{Path: fmt.Sprint(value), Blob: sha256.Sum256(fmt.Append(nil, value))}
		stat := reflect.ValueOf(&row.Stat).Elem()
		for i := range stat.NumField() {
			switch f := stat.Field(i); {
			case f.CanUint():
				f.SetUint(value & (1<<f.Type().Bits() - 1))
			case f.CanInt():
				f.SetInt(int64(value))
			default:
				t.Fatalf("Stat.%s is of a type that is not tested", stat.Type().Field(i).Name)
			}
		}
		all = append(all, row)
	}
	if err := SaveManifest(dir, "id", "v", all); err != nil {
		t.Fatal(err)
	}
	if got, ok := LoadManifest(dir, "id", "v"); !ok || !reflect.DeepEqual(got, all) {
		t.Errorf("%+v\nis read back as\n%+v", all, got)
	}
}

// Any damage is no manifest.
func TestManifestDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := SaveManifest(dir, "id", "v", rows(3)); err != nil {
		t.Fatal(err)
	}
	path := manifestPath(dir, "id")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := LoadManifest(dir, "id", "v"); ok || got != nil {
			t.Fatalf("%s: %d rows", what, len(got))
		}
	}
	for i := range whole {
		try(fmt.Sprint("cut at ", i), whole[:i])
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			if got, ok := parseManifest(b, "id", "v"); ok || got != nil {
				t.Fatalf("bit %d of byte %d: %d rows", bit, i, len(got))
			}
		}
	}
	try("a byte more", append(bytes.Clone(whole), 0))
}

// reseal gives bytes the checksum that they need to be looked at.
func reseal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(bytes.Clone(b), sum[:]...)
}

// FuzzManifest: what has a right checksum and makes no sense is no manifest either, and never a panic.
func FuzzManifest(f *testing.F) {
	for _, n := range []int{0, 1, 20} {
		b, err := appendManifest(nil, "id", "v", rows(n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:len(b)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, ok := parseManifest(reseal(b), "id", "v")
		if !ok {
			return
		}
		again, err := appendManifest(nil, "id", "v", rows)
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := parseManifest(again, "id", "v"); !ok || !reflect.DeepEqual(back, rows) {
			t.Errorf("%+v is read back as %+v, %v", rows, back, ok)
		}
	})
}

// Numbers that promise much are found out before memory is taken.
func TestManifestPromises(t *testing.T) {
	head := append([]byte(manifestMagic), 1, 'v', 2, 'i', 'd')
	many := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	for name, tail := range map[string][]byte{
		"rows":   append(bytes.Clone(many), 0),
		"paths":  append([]byte{0}, many...),
		"shared": append(append([]byte{1, 3}, many...), make([]byte, 60)...),
		"rest":   append(append([]byte{1, 3, 0}, many...), make([]byte, 60)...),
		"none":   nil,
	} {
		if rows, ok := parseManifest(reseal(append(bytes.Clone(head), tail...)), "id", "v"); ok {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
}

// Manifests that nobody used for 30 days go when another is saved; those in use stay, and so does
// what is none.
func TestManifestUnused(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"used", "unused", "recent"} {
		if err := SaveManifest(dir, id, "v", rows(3)); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, "."+filepath.Base(manifestPath(dir, "unused"))+"123") // by a killed save
	other := filepath.Join(dir, "other")
	for _, path := range []string{left, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-unusedAfter - time.Hour)
	for _, path := range []string{left, other, manifestPath(dir, "used"), manifestPath(dir, "unused")} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := LoadManifest(dir, "used", "v"); !ok {
		t.Error("an old manifest is not loaded")
	}
	if err := SaveManifest(dir, "another", "v", nil); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{left: false, other: true, manifestPath(dir, "used"): true,
		manifestPath(dir, "unused"): false, manifestPath(dir, "recent"): true, manifestPath(dir, "another"): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", path, err == nil, want)
		}
	}
}

// CASES F15: a file time in the future, of the manifest or of a row, changes nothing.
func TestManifestOfTheFuture(t *testing.T) {
	dir := t.TempDir()
	future := time.Now().Add(1000 * time.Hour)
	want := rows(3)
	want[1].Stat.Mtime, want[1].Stat.Ctime = future.UnixNano(), future.UnixNano()
	if err := SaveManifest(dir, "id", "v", want); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(manifestPath(dir, "id"), future, future); err != nil {
		t.Fatal(err)
	}
	if got, ok := LoadManifest(dir, "id", "v"); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, ok)
	}
}

// A directory that cannot be made is an error at Save, which says where.
func TestManifestUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := SaveManifest(dir, "id", "v", rows(3)); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if _, ok := LoadManifest(dir, "id", "v"); ok {
		t.Error("a manifest in a file")
	}
}

// What is no regular file is no manifest: a pipe is not waited for, a device not read for ever.
func TestManifestIrregular(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"pipe":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"link":      func(path string) error { return os.Symlink("/dev/zero", path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := t.TempDir()
		if err := make(manifestPath(dir, "id")); err != nil {
			t.Fatal(err)
		}
		if _, ok := LoadManifest(dir, "id", "v"); ok {
			t.Errorf("a %s is a manifest", name)
		}
		if err := SaveManifest(dir, "id", "v", rows(1)); (err == nil) != (name != "directory") {
			t.Errorf("over a %s: %v", name, err)
		}
	}
}

// Several daemons save the manifest of one workspace: a reader finds one of them, whole.
func TestManifestConcurrent(t *testing.T) {
	dir := t.TempDir()
	if err := SaveManifest(dir, "id", "v", rows(1)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := SaveManifest(dir, "id", "v", rows(10*n+1)); err != nil {
					t.Error(err)
				}
				if got, ok := LoadManifest(dir, "id", "v"); !ok || len(got)%10 != 1 {
					t.Errorf("%d rows, %v", len(got), ok)
				}
			}
		})
	}
	wg.Wait()
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}
