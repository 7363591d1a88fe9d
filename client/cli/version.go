package cli

import (
	"context"
	"flag"

	"ctxd/client/wire"
)

// versionVerb prints the version of this program. It asks nobody.
type versionVerb struct{}

func (*versionVerb) about() about {
	return about{name: "version", summary: "the version of ctx; status has the daemon's", examples: []string{"ctx version"}}
}

func (*versionVerb) flags(*flag.FlagSet) {}

func (*versionVerb) run(_ context.Context, c *command, args []string) error {
	if err := none(args, "ctx help version"); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(wire.HelloParams{Version: wire.Version})
	}
	return c.print([]byte("ctx " + wire.Version + "\n"))
}
