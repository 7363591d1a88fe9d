package cli

import (
	"context"
	"errors"
	"flag"

	"ctxd/client"
	"ctxd/client/wire"
)

// stopVerb ends the daemon.
type stopVerb struct{}

func (*stopVerb) about() about {
	return about{name: "stop", summary: "end the daemon",
		text:     "Waits until it has answered what it was asked and is gone. The next ctx starts another.",
		examples: []string{"ctx stop"}}
}

func (*stopVerb) flags(*flag.FlagSet) {}

func (*stopVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help stop"); err != nil {
		return err
	}
	stopped := wire.StopResult{Stopping: true}
	daemon, err := client.Dial(ctx, c.options())
	switch {
	case unreachable(err):
		stopped.Stopping = false
	case err != nil:
		return err
	default:
		asked, err := daemon.Stop(ctx, wire.StopParams{})
		daemon.Close()
		// A daemon that ends faster than it answers has been stopped all the same.
		if _, gone := errors.AsType[*client.ConnError](err); err != nil && !gone {
			return err
		}
		if asked != nil {
			stopped.PID = asked.PID
		}
		if err := client.Gone(ctx, c.options(), stopped.PID); err != nil {
			return err
		}
	}
	if c.json {
		return c.printJSON(stopped)
	}
	if !stopped.Stopping {
		return c.print([]byte("no daemon is running\n"))
	}
	return c.print([]byte("stopped\n"))
}
