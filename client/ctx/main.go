// Command ctx asks the daemon ctxd; see package cli.
package main

import (
	"os"

	"ctxd/client/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
