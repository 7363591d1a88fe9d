package main

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxd/client/wire"
)

// A flood makes an inotify queue overflow: the kernel says so, and does not merge the events.
func TestFlood(t *testing.T) {
	dir := t.TempDir()
	f, err := newFlood(dir)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_ATTRIB); err != nil {
		t.Fatal(err)
	}
	if err := f.run(); err != nil {
		t.Fatal(err)
	}
	events, overflowed := 0, false
	buf := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EAGAIN {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for b := buf[:n]; len(b) > 0; {
			events++
			overflowed = overflowed || binary.NativeEndian.Uint32(b[4:])&syscall.IN_Q_OVERFLOW != 0
			b = b[syscall.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(b[12:])):]
		}
	}
	if !overflowed || events < f.most {
		t.Errorf("%d events of %d, overflow %v", events, f.most, overflowed)
	}
}

func TestGates(t *testing.T) {
	for _, g := range gates {
		if got, err := gateNamed(g.name); err != nil || got.name != g.name {
			t.Errorf("%q: %+v, %v", g.name, got, err)
		}
	}
	if _, err := gateNamed("none"); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("an unknown gate: %v", err)
	}
	for _, c := range []struct {
		gate          string
		before, after wire.Workspace
		flooded       int
		met           bool
	}{
		{"overflow", wire.Workspace{Sweeps: 1}, wire.Workspace{Sweeps: 11}, 10, true},
		{"overflow", wire.Workspace{Sweeps: 1}, wire.Workspace{Sweeps: 10}, 10, false},
		{"overflow", wire.Workspace{}, wire.Workspace{}, 0, false},
		{"refused", wire.Workspace{}, wire.Workspace{Watched: 50, Unwatched: 3}, 0, true},
		{"refused", wire.Workspace{}, wire.Workspace{Watched: 51, Unwatched: 3}, 0, false},
		{"refused", wire.Workspace{}, wire.Workspace{Watched: 50}, 0, false},
		{"held", wire.Workspace{}, wire.Workspace{}, 0, true},
	} {
		g, err := gateNamed(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		met := true
		for _, v := range g.verdicts(&c.before, &c.after, c.flooded) {
			met = met && v.met
		}
		if met != c.met {
			t.Errorf("%s, %+v to %+v: %v", c.gate, c.before, c.after, met)
		}
	}
}

// A writer writes what it is told to, gives times back, and says what went wrong.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	m, err := markIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	o, w, err := m.next(0, saves[0])
	if err != nil {
		t.Fatal(err)
	}
	o.Touch = true
	before := modTime(t, o.Path)
	wrong := order{Path: filepath.Join(dir, "not there"), Style: saves[0].name}
	odd := order{Path: o.Path, Style: "by magic"}
	reports := serve(t, o, wrong, odd)
	if reports[0].Error != "" || reports[1].Error == "" || reports[2].Error == "" {
		t.Errorf("%+v", reports)
	}
	if text := string(mustRead(t, o.Path)); !strings.Contains(text, markDefinition(w.name)) || !modTime(t, o.Path).Equal(before) {
		t.Errorf("%q, %v, was %v", text, modTime(t, o.Path), before)
	}
}
