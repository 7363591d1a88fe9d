package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"

	"ctxd/client"
	"ctxd/client/wire"
)

// lspVerb connects an editor to the daemon.
type lspVerb struct{ stdio bool }

func (*lspVerb) about() about {
	return about{
		name: "lsp", summary: "speak the Language Server Protocol on stdin and stdout, for editors",
		text: `
Passes bytes between an editor and the daemon, which it starts if need be. Several editors
share one index; what is typed in one is seen by that one alone until it is saved.
Ends with 0 when the editor sent shutdown before exit, else with 1.`,
		examples: []string{"ctx lsp"},
	}
}

func (v *lspVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.stdio, "stdio", true, "stdin and stdout are all there is; for editors that say so")
}

func (v *lspVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help lsp"); err != nil {
		return err
	}
	if !v.stdio {
		return &usageError{problem: "--stdio=false: stdin and stdout are all there is", hint: "ctx help lsp"}
	}
	stream, err := client.OpenStream(ctx, c.options(), wire.MethodLSP)
	if err != nil {
		return err
	}
	defer stream.Close()
	watched, watch := io.Pipe()
	orderly := make(chan bool, 1)
	go func() { // ends with stdin
		orderly <- shutDown(watched)
		io.Copy(io.Discard, watched)
	}()
	go func() { // ends with stdin, or with the process
		io.Copy(stream, io.TeeReader(c.stdin, watch))
		watch.Close()
		stream.CloseWrite()
	}()
	if _, err := io.Copy(c.stdout, stream); err != nil && !quiet(err) {
		return err
	}
	watch.Close() // the daemon has ended the connection: nothing more counts
	if !<-orderly {
		return errDisorderly
	}
	return nil
}

// shutDown reads what the editor sends, and says whether it ended with exit after shutdown. What is no message is for the
// daemon to answer.
func shutDown(r io.Reader) bool {
	asked := false
	for in := bufio.NewReader(r); ; {
		message, err := wire.ReadFrame(in)
		if err != nil {
			if frame, ok := err.(*wire.FrameError); ok && frame.Recoverable {
				continue
			}
			return false
		}
		if !bytes.Contains(message, []byte(`"shutdown"`)) && !bytes.Contains(message, []byte(`"exit"`)) {
			continue
		}
		var m struct{ Method string }
		if json.Unmarshal(message, &m) != nil {
			continue
		}
		switch m.Method {
		case "shutdown":
			asked = true
		case "exit":
			return asked
		}
	}
}
