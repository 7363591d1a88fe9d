package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// The exit statuses.
const (
	exitDone     = 0
	exitFailed   = 1   // ctx itself failed
	exitRefused  = 2   // the invocation was refused
	exitNegative = 3   // the thing asked about failed
	exitTimeout  = 124 // as timeout(1)
)

// usageError says that the command line is wrong.
type usageError struct {
	problem string
	hint    string // a command to run
}

func (e *usageError) Error() string { return e.problem }

// These are answers that were printed: there is nothing more to say, only to exit.
var (
	// errNegative is a no: some address is lost, some check failed.
	errNegative = errors.New("negative answer")
	// errRefused is an answer of which a part was refused: some address cannot be looked at.
	errRefused = errors.New("refused in part")
	// errDisorderly is the end of an editor that did not take its leave.
	errDisorderly = errors.New("exit without shutdown")
)

// flagError turns an error of package flag into ours.
func flagError(err error, hint string) error {
	problem := err.Error()
	if name, ok := strings.CutPrefix(problem, "flag provided but not defined: -"); ok {
		problem = "unknown flag --" + strings.TrimLeft(name, "-")
	} else if name, ok := strings.CutPrefix(problem, "flag needs an argument: -"); ok {
		problem = "flag --" + strings.TrimLeft(name, "-") + " needs a value"
	} else if rest, ok := strings.CutPrefix(problem, "invalid value "); ok {
		// invalid value "z" for flag -limit: parse error
		value, rest, _ := strings.Cut(rest, " for flag -")
		name, why, _ := strings.Cut(rest, ": ")
		if why == "parse error" || why == "value out of range" {
			why = "want a whole number"
		}
		problem = dashed(name) + " " + value + ": " + why
	}
	return &usageError{problem: problem, hint: hint}
}

// status maps every error to its exit status.
func status(err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, errNegative) {
		return exitNegative
	}
	if errors.Is(err, errRefused) {
		return exitRefused
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return exitTimeout
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitRefused
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return refusalStatus(refusal)
	}
	return exitFailed
}

// refusalStatus maps a refusal by its word, or by its code where it has none.
func refusalStatus(e *wire.Error) int {
	if e.Data != nil && e.Data.Error != "" {
		switch e.Data.Error {
		case wire.Internal, wire.Stopping:
			return exitFailed
		}
		return exitRefused
	}
	switch e.Code {
	case wire.CodeInvalidRequest, wire.InvalidRequest.Code():
		return exitRefused
	}
	return exitFailed
}

// fail reports an error on stderr and returns its exit status.
func (c *command) fail(name string, err error) int {
	code := status(err)
	if err == nil || err == errNegative || err == errRefused || err == errDisorderly {
		return code
	}
	prefix := strings.TrimSpace("ctx " + name)
	refusal, refused := errors.AsType[*wire.Error](err)
	usage, wrong := errors.AsType[*usageError](err)
	switch {
	case c.json:
		data := wire.ErrorData{Error: wire.Internal, Message: err.Error(), Suggestions: []string{}}
		if refused && refusal.Data != nil {
			data = *refusal.Data
		} else if wrong {
			data.Error, data.Suggestions = wire.InvalidRequest, []string{usage.hint}
		}
		text, _ := indented(data) // plain data
		c.stderr.Write(text)
	case wrong:
		c.complain(prefix, usage.problem, []string{usage.hint})
	case refused:
		message, suggestions := refusal.Message, []string(nil)
		if d := refusal.Data; d != nil {
			suggestions = d.Suggestions
			if d.Became != nil {
				message += "\nbecame " + d.Became.String()
				suggestions = slices.DeleteFunc(slices.Clone(suggestions), func(s string) bool { return s == "ctx get "+d.Became.Address })
			}
			if d.Coverage != nil && d.Coverage.Unparsed > 0 {
				message += fmt.Sprintf("; files that could not be parsed: %d (`ctx status` names them)", d.Coverage.Unparsed)
			}
			if d.Coverage != nil && d.Coverage.Unlisted > 0 {
				message += fmt.Sprintf("; directories that could not be read: %d (`ctx status` names them)", d.Coverage.Unlisted)
			}
		}
		c.complain(prefix, message, suggestions)
	case code == exitTimeout:
		how := strings.TrimSuffix(err.Error(), context.DeadlineExceeded.Error())
		c.complain(prefix, fmt.Sprintf("timed out after %v: %sgive it longer with --timeout", time.Duration(c.timeout), how), nil)
	default:
		c.complain(prefix, err.Error(), nil)
	}
	return code
}

// complain writes one error: its message, and a line for each way forward that the message does
// not name itself.
func (c *command) complain(prefix, message string, suggestions []string) {
	var p page
	first, rest, _ := strings.Cut(message, "\n")
	p.line(prefix + ": " + first)
	for _, line := range strings.Split(rest, "\n") {
		if line != "" {
			p.line("  " + line)
		}
	}
	for _, suggestion := range suggestions {
		if suggestion != "" && !strings.Contains(message, suggestion) {
			p.line("  try: " + suggestion)
		}
	}
	c.stderr.Write(p.text)
}

// quiet says whether a write failed only because nobody reads any more.
func quiet(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) }

// unreachable says whether an error means that no daemon runs.
func unreachable(err error) bool {
	dial, ok := errors.AsType[*client.DialError](err)
	return ok && (errors.Is(dial, syscall.ENOENT) || errors.Is(dial, syscall.ECONNREFUSED))
}
