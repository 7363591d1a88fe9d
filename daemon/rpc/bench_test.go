package rpc

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// BenchmarkEcho is one round trip over a unix socket: what a call costs before it does anything.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{100, 5 << 20} {
		b.Run(fmt.Sprintf("%d bytes", size), func(b *testing.B) {
			l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			go func() {
				nc, err := l.Accept()
				if err == nil {
					Serve(context.Background(), nc, Options{Handler: handlers{}.serve})
				}
			}()
			nc, err := net.Dial("unix", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer nc.Close()
			r := bufio.NewReader(nc)
			request := wire.AppendFrame(nil, fmt.Appendf(nil,
				`{"jsonrpc":"2.0","id":1,"method":"echo","params":[%q]}`, strings.Repeat("x", size)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := nc.Write(request); err != nil {
					b.Fatal(err)
				}
				if _, err := wire.ReadFrame(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
