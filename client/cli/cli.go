package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// verb is one command. Flags binds the fields to flags; Run gets the other words of the line.
type verb interface {
	about() about
	flags(*flag.FlagSet)
	run(ctx context.Context, c *command, args []string) error
}

// about is the help of a verb.
type about struct {
	name     string
	args     string // as they are shown after the flags
	summary  string // one line
	text     string // what there is to know; may be empty
	examples []string
}

// verbs makes every verb, in the order that help lists them.
func verbs() []verb {
	return []verb{
		&defVerb{}, &refsVerb{}, &diagVerb{}, &searchVerb{}, &mapVerb{}, &getVerb{}, &resolveVerb{}, &checkVerb{},
		&statusVerb{}, &doctorVerb{}, &stopVerb{}, &gcVerb{}, &pinVerb{}, &trustVerb{}, &lspVerb{},
		&versionVerb{}, &completionVerb{}, &helpVerb{},
	}
}

func find(name string) verb {
	for _, v := range verbs() {
		if v.about().name == name {
			return v
		}
	}
	return nil
}

// defaultTimeout is long enough for the first answer on a large cold tree.
const defaultTimeout = 60 * time.Second

// command is one run of ctx: the flags of every verb, and the streams.
type command struct {
	root    string
	json    bool
	noSync  bool
	timeout duration

	daemon *client.Client // nil: nobody has greeted it yet
	onWait func()         // called when the call that is being made takes longer than client.Prompt

	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	// terminal says that stdout is one: bytes that would drive it are then escaped even where
	// exact bytes were asked for.
	terminal bool
}

func (c *command) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.root, "root", c.root, "the workspace, a `DIR` (default: nearest ctx.toml, else git top level, else here)")
	fs.BoolVar(&c.json, "json", c.json, "print the result as JSON; a refusal's data too, on stderr")
	fs.BoolVar(&c.noSync, "no-sync", c.noSync, "answer from the index as it is, without looking for changes")
	fs.Var(&c.timeout, "timeout", "give up after `D`, for example 5s or 2m; 0 never does")
}

// Main runs one command line, without the program's name, and returns the exit status: 0 done,
// 1 ctx itself failed, 2 refused, 3 the thing asked about failed, 124 timed out.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &command{stdin: stdin, stdout: stdout, stderr: stderr, timeout: duration(defaultTimeout)}
	if file, ok := stdout.(*os.File); ok {
		info, err := file.Stat()
		c.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	name, err := c.dispatch(args)
	if c.daemon != nil {
		c.daemon.Close()
	}
	return c.fail(name, err)
}

// dispatch finds the verb, parses its line and runs it. It returns the verb's name for errors.
func (c *command) dispatch(args []string) (string, error) {
	words := args
	if len(args) > 0 && strings.HasPrefix(args[0], "-") { // flags before the verb
		global := newFlags("")
		c.flags(global)
		if err := global.Parse(args); err != nil {
			if err == flag.ErrHelp {
				return "", c.print(overview())
			}
			return "", flagError(err, "ctx help")
		}
		words = global.Args()
	}
	if len(words) == 0 {
		return "", &usageError{problem: "what to do is missing", hint: "ctx help"}
	}
	v := find(words[0])
	if v == nil {
		return "", &usageError{problem: fmt.Sprintf("unknown verb %q%s", words[0], nearest(words[0])), hint: "ctx help"}
	}
	name := words[0]
	fs := newFlags(name)
	c.flags(fs)
	v.flags(fs)
	words = words[1:]
	if spread, ok := v.(interface{ words([]string) []string }); ok {
		words = spread.words(words)
	}
	rest, err := parseAnywhere(fs, words)
	if err == flag.ErrHelp {
		return name, c.print(usage(v))
	}
	if err != nil {
		return name, flagError(err, "ctx help "+name)
	}
	ctx := context.Background()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withLazyTimeout(ctx, time.Duration(c.timeout))
		defer cancel()
	}
	return name, v.run(ctx, c, rest)
}

func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// parseAnywhere parses flags wherever they stand; after -- everything is an argument.
func parseAnywhere(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if used := len(args) - len(left); used > 0 && args[used-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// nearest suggests a verb for a misspelt one.
func nearest(word string) string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.about().name)
	}
	best := wire.Nearest(word, names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// options are the client's: from the environment, and a daemon that keeps none of our pipes.
func (c *command) options() client.Options { return client.Options{CloseInherited: true} }

// print writes to stdout. A reader that went away is not an error of ours.
func (c *command) print(text []byte) error {
	if _, err := c.stdout.Write(text); err != nil && !quiet(err) {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// duration is a flag that takes a number of seconds as well as Go's notation.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(text string) error {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		text += "s"
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("want a length of time such as 5s or 2m")
	}
	*d = duration(v)
	return nil
}

// helpVerb explains the verbs.
type helpVerb struct{}

func (*helpVerb) about() about {
	return about{name: "help", args: "[VERB]", summary: "explain ctx or one of its verbs",
		examples: []string{"ctx help", "ctx help get"}}
}

func (*helpVerb) flags(*flag.FlagSet) {}

func (*helpVerb) run(_ context.Context, c *command, args []string) error {
	if len(args) == 0 {
		return c.print(overview())
	}
	v := find(args[0])
	if v == nil {
		return &usageError{problem: fmt.Sprintf("unknown verb %q%s", args[0], nearest(args[0])), hint: "ctx help"}
	}
	return c.print(usage(v))
}

// verbNames lists the verbs by name, for completion.
func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.about().name)
	}
	slices.Sort(names)
	return names
}
