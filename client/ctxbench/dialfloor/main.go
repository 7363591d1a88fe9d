// Command dialfloor is the floor of a thin client: it dials the socket named by its first argument and ends. With a second
// one it has the daemon answer one ctx/echo before: whoever asks anything at all takes that long. ctxbench builds it
// without cgo and times it beside ctx.
package main

import (
	"net"
	"os"
)

func main() {
	c, err := net.Dial("unix", os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		const echo = `{"jsonrpc":"2.0","id":1,"method":"ctx/echo","params":{}}`
		if _, err := c.Write([]byte("Content-Length: 56\r\n\r\n" + echo)); err != nil {
			os.Exit(1)
		}
		if _, err := c.Read(make([]byte, 4096)); err != nil { // a unix socket hands over the one write that the answer is
			os.Exit(1)
		}
	}
	c.Close()
}
