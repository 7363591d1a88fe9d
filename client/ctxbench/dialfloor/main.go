// Command dialfloor is the floor of a thin client: it dials the socket named by its argument and
// ends. ctxbench builds it without cgo and times it beside ctx.
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
	c.Close()
}
