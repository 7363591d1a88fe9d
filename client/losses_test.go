package client

import (
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"

	"ctxd/client/wire"
)

// What becomes of one connection.
const (
	reset  = 'r' // ended before anything was read: the queue of a daemon that dies looks like that
	silent = 's' // ended when the request had been read, hello not answered
	dies   = 'd' // hello answered, ended by the request
	serves = 'a' // answered
)

// mortal is a daemon whose connections end as fates says, one letter each; the last letter is that of all that follow.
// It counts the requests that it read.
func mortal(t *testing.T, fates string) (socket string, asked *atomic.Int32) {
	t.Helper()
	socket, asked = filepath.Join(shortDir(t), "s"), new(atomic.Int32)
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			fate := fates[min(i, len(fates)-1)]
			if fate == reset {
				c.Close()
				continue
			}
			serveConn(c, func(q request, reply func(any)) {
				asks := q.Method != wire.MethodHello
				if asks {
					asked.Add(1)
				}
				switch {
				case fate == silent || fate == dies && asks:
					c.Close()
				case asks:
					reply(q.Params)
				default:
					reply(wire.HelloResult{Version: "1.2.3"})
				}
			})
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return socket, asked
}

// TestLosses: a call survives some deaths of its daemon, and each of them may show as several lost connections; a
// request that kills every daemon kills few.
func TestLosses(t *testing.T) {
	for _, tt := range []struct {
		fates         string
		reads, writes int  // requests that the daemon gets, of a call that repeats and of one that does not
		read, written bool // whether the call is answered
	}{
		{"a", 1, 1, true, true},
		{"rra", 1, 1, true, true},
		{"drrdrrdrra", 4, 1, true, false},
		{"rrdrrdrrda", 4, 1, true, false},
		{"rrrrrrrra", 1, 1, true, true},
		{"d", 4, 1, false, false},
		{"r", 0, 0, false, false},
		{"s", 0, 0, false, false},
	} {
		for _, once := range []bool{false, true} {
			for method, want := range map[string]int{wire.MethodEcho: tt.reads, wire.MethodGC: tt.writes} {
				socket, asked := mortal(t, tt.fates)
				options := Options{Socket: socket, Version: "1.2.3"}
				var got json.RawMessage
				var err error
				if once {
					err = Once(timeout(t), options, method, 7, &got)
				} else {
					c := dialed(t, socket)
					err = c.Call(timeout(t), method, 7, &got)
					c.Close()
				}
				answered := method == wire.MethodEcho && tt.read || method == wire.MethodGC && tt.written
				lost, broken := errors.AsType[*ConnError](err)
				if answered && (err != nil || string(got) != "7") || !answered && (!broken || lost.Method == "") {
					t.Errorf("%s %s, once %v: %s, %v", tt.fates, method, once, got, err)
				}
				if n := int(asked.Load()); n != want && tt.fates != "s" { // hello and request may be read together
					t.Errorf("%s %s, once %v: asked %d times, want %d", tt.fates, method, once, n, want)
				}
			}
		}
	}
}
