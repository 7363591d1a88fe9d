package main

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bell is the floor of whatever waits for a write: a program that watches the directories of a tree and does nothing but
// read the kernel's event.
type bell struct {
	file  *os.File
	rings chan ring
}

// ring is the event that a file was written, by its base name.
type ring struct {
	name string
	at   time.Time
}

func newBell(root string) (*bell, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	b := &bell{os.NewFile(uintptr(fd), "inotify"), make(chan ring, 1000)}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_, err = unix.InotifyAddWatch(fd, path, unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO)
		}
		return err
	})
	if err != nil {
		b.file.Close()
		return nil, err
	}
	go b.listen() // ends with close
	return b, nil
}

func (b *bell) listen() {
	defer close(b.rings)
	buf := make([]byte, 64<<10)
	for {
		n, err := b.file.Read(buf)
		if err != nil {
			return
		}
		now := time.Now()
		for events := buf[:n]; len(events) >= unix.SizeofInotifyEvent; {
			size := int(binary.NativeEndian.Uint32(events[12:]))
			events = events[unix.SizeofInotifyEvent:]
			b.rings <- ring{strings.TrimRight(string(events[:size]), "\x00"), now}
			events = events[size:]
		}
	}
}

// rang says when the event of a file came.
func (b *bell) rang(path string) (time.Time, error) {
	for r := range b.rings {
		if r.name == filepath.Base(path) {
			return r.at, nil
		}
	}
	return time.Time{}, errors.New("the kernel's events have ended")
}

func (b *bell) close() { b.file.Close() }
