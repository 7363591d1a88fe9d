package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxd/client/wire"
)

// fake is a daemon inside the test: it gives every request of a method the same answer, and
// keeps the parameters that it got.
type fake struct {
	answers map[string]any // a result, a *wire.Error, or a func() any that makes one of them
	params  chan json.RawMessage
}

// daemon starts a fake and points CTX_SOCKET to it.
func daemon(t *testing.T, answers map[string]any) *fake {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "ctxd.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{answers: answers, params: make(chan json.RawMessage, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var serving sync.WaitGroup
		defer serving.Wait()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.serve(c) })
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	t.Setenv("CTX_SOCKET", socket)
	return f
}

func (f *fake) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		message, err := wire.ReadFrame(r)
		if err != nil {
			return
		}
		var q struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(message, &q) != nil || q.Method == wire.MethodCancel {
			return
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
		made := f.answers[q.Method]
		if make, ok := made.(func() any); ok {
			made = make()
		}
		switch result := made.(type) {
		case *wire.Error:
			answer["error"] = result
		case nil:
			if q.Method != wire.MethodHello {
				continue // no answer: let the client time out
			}
			answer["result"] = wire.HelloResult{Version: wire.Version}
		default:
			answer["result"] = result
		}
		if q.Method != wire.MethodHello {
			f.params <- q.Params
		}
		body, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		c.Write(wire.AppendFrame(nil, body))
	}
}

// asked decodes the parameters of the next request.
func asked[Params any](t *testing.T, f *fake) Params {
	t.Helper()
	var p Params
	select {
	case raw := <-f.params:
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatal("nothing was asked")
	}
	return p
}

// ctx runs one command line and returns what it printed and its exit status.
func ctx(args ...string) (stdout, stderr string, code int) {
	return ctxReading("", args...)
}

func ctxReading(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}
