package client

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CASES D6, S3.
func TestSocketPath(t *testing.T) {
	uid := fmt.Sprintf("ctx-%d", os.Geteuid())
	long := strings.Repeat("x", 120)
	for _, tt := range []struct {
		name                   string
		socket, runtime, tmp   string // in the test's directory
		make                   func(dir string) error
		want                   string // in the test's directory; * is a hash
		wantErr                string
		wantDirError, wantLong bool
	}{
		{name: "override", socket: "a/b.sock", runtime: "run", want: "a/b.sock"},
		{name: "runtime directory", runtime: "run", want: "run/ctx/ctxd.sock"},
		{name: "neither", want: uid + "/ctxd.sock"},
		{name: "runtime directory in a file", runtime: "file/run", want: uid + "/ctxd.sock",
			make: func(dir string) error { return os.WriteFile(dir+"/file", nil, 0o600) }},
		{name: "long runtime directory", runtime: long, want: uid + "/*.sock"},
		{name: "long override", socket: long + "/s", want: uid + "/*.sock"},
		{name: "everything is long", runtime: long, tmp: long, wantLong: true, wantErr: "the limit is 107"},
		{name: "open directory", runtime: "run", wantDirError: true, wantErr: "chmod 700",
			make: func(dir string) error {
				return errors.Join(os.MkdirAll(dir+"/run/ctx", 0o700), os.Chmod(dir+"/run/ctx", 0o755))
			}},
		{name: "link", runtime: "run", wantDirError: true, wantErr: "a symbolic link",
			make: func(dir string) error {
				return errors.Join(os.MkdirAll(dir+"/run", 0o700), os.MkdirAll(dir+"/else", 0o700), os.Symlink(dir+"/else", dir+"/run/ctx"))
			}},
		{name: "file", runtime: "run", wantDirError: true, wantErr: "a file",
			make: func(dir string) error {
				return errors.Join(os.MkdirAll(dir+"/run", 0o700), os.WriteFile(dir+"/run/ctx", nil, 0o700))
			}},
		{name: "link in the temporary directory", wantDirError: true, wantErr: "CTX_SOCKET",
			make: func(dir string) error { return os.Symlink(dir, dir+"/"+uid) }},
		{name: "temporary directory cannot be made", tmp: "file/tmp", wantDirError: true, wantErr: "CTX_SOCKET",
			make: func(dir string) error { return os.WriteFile(dir+"/file", nil, 0o600) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := shortDir(t)
			set := func(name, value string) {
				if value != "" {
					value = filepath.Join(dir, value)
				}
				t.Setenv(name, value)
			}
			set("CTX_SOCKET", tt.socket)
			set("XDG_RUNTIME_DIR", tt.runtime)
			t.Setenv("TMPDIR", filepath.Join(dir, tt.tmp))
			if tt.make != nil {
				if err := tt.make(dir); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Socket()
			if tt.wantErr != "" {
				_, dirError := errors.AsType[*DirError](err)
				_, long := errors.AsType[*LengthError](err)
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) || dirError != tt.wantDirError || long != tt.wantLong {
					t.Fatalf("%q, error %v", got, err)
				}
				return
			}
			if ok, _ := filepath.Match(filepath.Join(dir, tt.want), got); !ok || err != nil {
				t.Fatalf("got %q, %v; want %s", got, err, tt.want)
			}
			if again, _ := Socket(); again != got {
				t.Errorf("then %q", again)
			}
			info, err := os.Stat(filepath.Dir(got))
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("directory %v, %v", info, err)
			}
		})
	}
}

func TestRelativeRuntimeDirectoryIsIgnored(t *testing.T) {
	dir := shortDir(t)
	t.Setenv("CTX_SOCKET", "")
	t.Setenv("XDG_RUNTIME_DIR", "relative")
	t.Setenv("TMPDIR", dir)
	if got, err := Socket(); err != nil || filepath.Dir(filepath.Dir(got)) != dir {
		t.Errorf("%q, %v", got, err)
	}
}

// CASES S3.
func TestForeignDirectory(t *testing.T) {
	// / belongs to root and is not private; /proc/1 is a directory that is never 0700. Whoever
	// runs the test, one of the two rules refuses both.
	for _, dir := range []string{"/", "/proc/1"} {
		if _, ok := errors.AsType[*DirError](privateDir(dir)); !ok {
			t.Errorf("%s passes for a private directory", dir)
		}
	}
}

func TestStateDir(t *testing.T) {
	for _, tt := range []struct{ ctx, xdg, home, want string }{
		{"/c", "/x", "/h", "/c"}, {"", "/x", "/h", "/x/ctx"}, {"", "", "/h", "/h/.local/state/ctx"},
		{"", "rel", "/h", "/h/.local/state/ctx"}, {"/c/../d/", "", "/h", "/d"},
		{"rel", "/x", "/h", ""}, {"", "", "", ""}, {"", "", "rel", ""},
	} {
		t.Setenv("CTX_STATE_HOME", tt.ctx)
		t.Setenv("XDG_STATE_HOME", tt.xdg)
		t.Setenv("HOME", tt.home)
		got, err := stateDir()
		if _, none := errors.AsType[*StateError](err); got != tt.want || none != (tt.want == "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}

// A lock file that was removed while it was being locked is no lock.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	file, err := tryLock(path)
	if err != nil || file == nil {
		t.Fatal(file, err)
	}
	defer file.Close()
	if !names(path, file) {
		t.Error("the lock is not seen")
	}
	if err := os.Rename(path, path+"2"); err != nil || names(path, file) {
		t.Errorf("a file that was moved away is seen: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil || names(path, file) {
		t.Errorf("another file is taken for it: %v", err)
	}
}
