package client

import (
	"context"
	"os"
	"syscall"

	"ctxd/client/wire"
)

// Stream is a bare connection to the daemon, for what speaks its own protocol on it.
type Stream struct{ file *os.File }

// OpenStream connects to the daemon, starting it when none is running and replacing one that is older, and sends the
// notification enter first.
func OpenStream(ctx context.Context, options Options, enter string) (*Stream, error) {
	if err := Once(ctx, options, wire.MethodEcho, map[string]string{}, nil); err != nil {
		return nil, err
	}
	file, _, err := options.open(ctx, true, false)
	if err != nil {
		return nil, err
	}
	s := &Stream{file}
	if _, err := s.Write(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","method":"`+enter+`"}`))); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Stream) Read(p []byte) (int, error)  { return s.file.Read(p) }
func (s *Stream) Write(p []byte) (int, error) { return s.file.Write(p) }
func (s *Stream) Close() error                { return s.file.Close() }

// CloseWrite says that nothing more will be sent; what is owed still comes.
func (s *Stream) CloseWrite() error {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = syscall.Shutdown(int(fd), syscall.SHUT_WR) }); err != nil {
		return err
	}
	return failed
}
