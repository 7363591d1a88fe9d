package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// order is one write, and report what became of it: they go over the pipes of a writer, a process
// whose only work it is to write.
type order struct {
	Path  string
	Text  []byte
	Style string // the name of a save
	Touch bool   // give the file its modification time back, as touch -r does
}

type report struct {
	Took  time.Duration
	Error string
}

// carryOut makes the write and says how long it took.
func (o order) carryOut() (time.Duration, error) {
	at := slices.IndexFunc(saves, func(s save) bool { return s.name == o.Style })
	if at < 0 {
		return 0, fmt.Errorf("no style of writing is called %q", o.Style)
	}
	before, err := os.Stat(o.Path)
	if err != nil {
		return 0, err
	}
	return timed(func() error {
		err := saves[at].write(o.Path, o.Text)
		if err == nil && o.Touch {
			err = os.Chtimes(o.Path, before.ModTime(), before.ModTime())
		}
		return err
	})
}

// writer is another process that writes.
type writer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	say *json.Encoder
	ask *json.Decoder
}

// startWriter runs this program once more.
func startWriter() (*writer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &writer{cmd: exec.Command(self, writerMode)}
	w.cmd.Stderr = os.Stderr
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.say, w.ask = json.NewEncoder(w.in), json.NewDecoder(out)
	return w, w.cmd.Start()
}

func (w *writer) carryOut(o order) (time.Duration, error) {
	if err := w.say.Encode(o); err != nil {
		return 0, err
	}
	var r report
	if err := w.ask.Decode(&r); err != nil {
		return 0, err
	}
	if r.Error != "" {
		return r.Took, errors.New(r.Error)
	}
	return r.Took, nil
}

// close ends the process: it ends with its input.
func (w *writer) close() error {
	w.in.Close()
	return w.cmd.Wait()
}

// writerMode is the argument that makes this program a writer.
const writerMode = "writer"

// serveWrites is a writer's life.
func serveWrites(in io.Reader, out io.Writer) error {
	say, ask := json.NewEncoder(out), json.NewDecoder(in)
	for {
		var o order
		if err := ask.Decode(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var r report
		var err error
		if r.Took, err = o.carryOut(); err != nil {
			r.Error = err.Error()
		}
		if err := say.Encode(r); err != nil {
			return err
		}
	}
}
