package cli

import (
	"flag"
	"strconv"
	"strings"

	"ctxd/client/wire"
)

// paging are the flags of a verb that lists rows a part at a time.
type paging struct{ limit, after int }

// flags binds them; rows is what is listed, in the plural.
func (g *paging) flags(fs *flag.FlagSet, rows string) {
	fs.IntVar(&g.limit, "limit", 0, "list at most `N` "+rows)
	fs.IntVar(&g.after, "after", 0, "go on after the first `N` "+rows+", as next: says")
}

func (g *paging) check(verb string) error {
	if g.limit < 0 || g.after < 0 {
		return &usageError{problem: "--limit and --after count from 0", hint: "ctx help " + verb}
	}
	return nil
}

// next are the flags of the call that goes on after the first rows.
func (g *paging) next(after int) string {
	flags := ""
	if g.limit > 0 {
		flags = " --limit " + strconv.Itoa(g.limit)
	}
	return flags + " --after " + strconv.Itoa(after)
}

// again is a call of a verb with the words that it was given, and with flags, which begin with a space. Words from the
// first that looks like a flag on stood behind --, and do so again.
func again(verb string, words []string, flags string) string {
	call, rest := "ctx "+verb, ""
	for _, word := range words {
		if strings.HasPrefix(word, "-") || rest != "" {
			rest += " " + wire.ShellWord(word)
		} else {
			call += " " + wire.ShellWord(word)
		}
	}
	if call += flags; rest != "" {
		call += " --" + rest
	}
	return call
}
