package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"ctxd/daemon/checkers"
	"ctxd/watch"
)

// configName is the configuration of one workspace, at its root.
const configName = "ctx.toml"

// config is what ctx.toml sets. The keys and defaults are those of the seed that our features use.
type config struct {
	Budgets struct {
		ResultTokens   int `toml:"result_tokens"`    // of one answer's text; a token is 4 bytes
		MaxInlineLines int `toml:"max_inline_lines"` // of one body
		MaxInlineBytes int `toml:"max_inline_bytes"` // of one --bytes slice
		MaxMatches     int `toml:"max_matches"`      // rows of one list
	} `toml:"budgets"`
	Store struct {
		// Allow lists secret names (.env, *.pem) that may be read and captured all the same.
		Allow []string `toml:"allow"`
	} `toml:"store"`
	Diag  diagConfig `toml:"diag"`
	Check struct {
		// Exclude are globs, as the file: of ctx search, of files in which ctx check looks for no addresses.
		Exclude []string `toml:"exclude"`
	} `toml:"check"`

	checkers []checkers.Checker  // those of Diag that can be used
	exclude  []func(string) bool // those of Check

	found    bool       // there is such a file
	stat     watch.Stat // of the file; zero: read it again
	problems []string
}

// diagConfig names the commands that judge files in a trusted workspace.
type diagConfig struct {
	Checker []checkers.Checker `toml:"checker"`
}

func defaultConfig() *config {
	c := &config{}
	c.Budgets.ResultTokens = 1200
	c.Budgets.MaxInlineLines = 240
	c.Budgets.MaxInlineBytes = 16384
	c.Budgets.MaxMatches = 80
	return c
}

// decode reads src into a value that holds the defaults, and names the keys that it does not know.
// After an error the value may be partly set.
func decode(name string, src []byte, into any) (unknown []string, err error) {
	err = toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(into)
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		for _, e := range strict.Errors {
			unknown = append(unknown, fmt.Sprintf("%s: unknown key %s", name, strings.Join(e.Key(), ".")))
		}
		return unknown, nil
	}
	var at *toml.DecodeError
	if errors.As(err, &at) && len(at.Key()) > 0 { // its own words name our Go types
		row, _ := at.Position()
		return nil, fmt.Errorf("%s:%d: %s has a value of the wrong type; the defaults are used for the whole file", name, row, strings.Join(at.Key(), "."))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w; the defaults are used for the whole file", name, err)
	}
	return nil, err
}

// maxBudget is the most that a budget may be: sums of budgets and positions must not overflow.
const maxBudget = 100_000_000

// parseConfig never fails: what is wrong keeps its default and is named in problems.
func parseConfig(name string, src []byte) *config {
	c, def := defaultConfig(), defaultConfig()
	unknown, err := decode(name, src, c)
	if c.problems = unknown; err != nil {
		c = defaultConfig()
		c.problems = []string{err.Error()}
	}
	var bad []string
	c.checkers, bad = completed(name, c.Diag.Checker)
	c.problems = append(c.problems, bad...)
	for _, text := range c.Check.Exclude {
		if g, err := glob(text); err != nil {
			c.problems = append(c.problems, fmt.Sprintf("%s: check.exclude: %v", name, err))
		} else {
			c.exclude = append(c.exclude, g)
		}
	}
	positive := func(key string, v *int, def int) {
		if *v <= 0 || *v > maxBudget {
			c.problems = append(c.problems, fmt.Sprintf("%s: %s must be 1 to %d, not %d; the default is used", name, key, maxBudget, *v))
			*v = def
		}
	}
	positive("budgets.result_tokens", &c.Budgets.ResultTokens, def.Budgets.ResultTokens)
	positive("budgets.max_inline_lines", &c.Budgets.MaxInlineLines, def.Budgets.MaxInlineLines)
	positive("budgets.max_inline_bytes", &c.Budgets.MaxInlineBytes, def.Budgets.MaxInlineBytes)
	positive("budgets.max_matches", &c.Budgets.MaxMatches, def.Budgets.MaxMatches)
	return c
}

// loadConfig reads ctx.toml again when its stat changed.
func (ws *Workspace) loadConfig() {
	root, now := ws.root(), ws.config.Load()
	fi, err := root.Stat(configName)
	if err != nil {
		if now.found || len(now.problems) > 0 {
			ws.config.Store(defaultConfig())
		}
		if !errors.Is(err, fs.ErrNotExist) {
			c := defaultConfig()
			c.problems = []string{fmt.Sprintf("%s: %v", configName, err)}
			ws.config.Store(c)
		}
		return
	}
	if watch.StatInfo(fi) == now.stat {
		return
	}
	src, stat, racy, err := ws.disk.Load().readStable(context.Background(), configName, nil)
	c := defaultConfig()
	if err != nil {
		c.problems = []string{fmt.Sprintf("%s: %v", configName, err)}
	} else {
		c = parseConfig(configName, src)
	}
	if c.found = true; !racy {
		c.stat = stat
	}
	ws.config.Store(c)
}

// UserConfig is what the user's own file sets for the daemon: $XDG_CONFIG_HOME/ctx/config.toml.
type UserConfig struct {
	Daemon struct {
		IdleMinutes int `toml:"idle_minutes"` // without an open connection until the daemon ends
	} `toml:"daemon"`
	Store struct {
		RetentionDays int   `toml:"retention_days"` // since the last use of a capture
		MaxBytes      int64 `toml:"max_bytes"`      // of all captures on disk
	} `toml:"store"`

	Watch struct {
		MaxWatches int `toml:"max_watches"` // directories watched for events, in each workspace; 0: as many as there are
	} `toml:"watch"`
	Facts struct {
		MaxBytes int64 `toml:"max_bytes"` // of parsed files' facts on disk; 0: none are kept
	} `toml:"facts"`

	Diag     diagConfig         `toml:"diag"`
	checkers []checkers.Checker // those of Diag that can be used

	// Problems names what is wrong in the file; doctor shows it.
	Problems []string `toml:"-"`
}

// The most that durations in a configuration may be: ten years and a hundred. More overflows, or is
// a slip of the keyboard.
const (
	maxIdleMinutes   = 10 * 365 * 24 * 60
	maxRetentionDays = 36_500
)

// ParseUserConfig never fails: what is wrong keeps its default and is named in Problems.
func ParseUserConfig(name string, src []byte) UserConfig {
	def := UserConfig{}
	def.Daemon.IdleMinutes = 30
	def.Store.RetentionDays = 30
	def.Store.MaxBytes = 2 << 30
	def.Facts.MaxBytes = 1 << 30
	c := def
	unknown, err := decode(name, src, &c)
	if c.Problems = unknown; err != nil {
		c = def
		c.Problems = []string{err.Error()}
	}
	var wrong []string
	c.checkers, wrong = completed(name, c.Diag.Checker)
	c.Problems = append(c.Problems, wrong...)
	bad := func(key string, value, most int64) {
		c.Problems = append(c.Problems, fmt.Sprintf("%s: %s must be 1 to %d, not %d; the default is used", name, key, most, value))
	}
	if m := c.Daemon.IdleMinutes; m < 1 || m > maxIdleMinutes {
		bad("daemon.idle_minutes", int64(m), maxIdleMinutes)
		c.Daemon = def.Daemon
	}
	if d := c.Store.RetentionDays; d < 1 || d > maxRetentionDays {
		bad("store.retention_days", int64(d), maxRetentionDays)
		c.Store.RetentionDays = def.Store.RetentionDays
	}
	if n := c.Store.MaxBytes; n < 1 {
		bad("store.max_bytes", n, 1<<62)
		c.Store.MaxBytes = def.Store.MaxBytes
	}
	if n := c.Watch.MaxWatches; n < 0 {
		c.Problems = append(c.Problems, fmt.Sprintf("%s: watch.max_watches must be 0 (no limit) or more, not %d; the default is used", name, n))
		c.Watch = def.Watch
	}
	if n := c.Facts.MaxBytes; n < 0 {
		c.Problems = append(c.Problems, fmt.Sprintf("%s: facts.max_bytes must be 0 (keep none) or more, not %d; the default is used", name, n))
		c.Facts = def.Facts
	}
	return c
}

// Idle is how long the daemon waits for a connection before it ends.
func (c UserConfig) Idle() time.Duration { return time.Duration(c.Daemon.IdleMinutes) * time.Minute }

// Retention is how long a capture is kept since its last use.
func (c UserConfig) Retention() time.Duration {
	return time.Duration(c.Store.RetentionDays) * 24 * time.Hour
}
