package daemon

import (
	"errors"
	"io/fs"
	"os"
)

// logLimit is the size at which ctxd.log becomes ctxd.log.1: two files of 4 MiB at most.
const logLimit = 4 << 20

// logFile is a file that starts anew when it has grown to its limit; the one before is kept as
// NAME.1. It is written by one slog.Handler, which writes whole records, one at a time.
type logFile struct {
	path  string
	limit int64
	f     *os.File
	size  int64
}

func openLog(path string, limit int64) (*logFile, error) {
	l := &logFile{path: path, limit: limit}
	if err := l.open(); err != nil {
		return nil, err
	}
	if l.size >= limit {
		if err := l.rotate(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l.f, l.size = f, info.Size()
	return nil
}

// rotate goes on in the old file when a new one cannot be made.
func (l *logFile) rotate() error {
	if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := l.f
	if err := l.open(); err != nil {
		return err
	}
	return old.Close()
}

func (l *logFile) Write(record []byte) (int, error) {
	if l.size > 0 && l.size+int64(len(record)) > l.limit {
		if err := l.rotate(); err != nil {
			l.size = 0 // not again for every record
		}
	}
	n, err := l.f.Write(record)
	l.size += int64(n)
	return n, err
}

func (l *logFile) Close() error { return l.f.Close() }
