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

	stat     watch.Stat
	problems []string
}

func defaultConfig() *config {
	c := &config{}
	c.Budgets.ResultTokens = 1200
	c.Budgets.MaxInlineLines = 240
	c.Budgets.MaxInlineBytes = 16384
	c.Budgets.MaxMatches = 80
	return c
}

// parseConfig never fails: what is wrong keeps its default and is named in problems.
func parseConfig(name string, src []byte) *config {
	c, def := defaultConfig(), defaultConfig()
	dec := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			for _, e := range strict.Errors {
				c.problems = append(c.problems, fmt.Sprintf("%s: unknown key %s", name, strings.Join(e.Key(), ".")))
			}
		} else {
			c = def
			c.problems = append(c.problems, fmt.Sprintf("%s: %v; the defaults are used", name, err))
		}
	}
	positive := func(key string, v *int, def int) {
		if *v <= 0 {
			c.problems = append(c.problems, fmt.Sprintf("%s: %s must be positive, not %d", name, key, *v))
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
		if now.stat != (watch.Stat{}) || len(now.problems) > 0 {
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
	src, stat, racy, err := readStable(context.Background(), root, configName)
	c := defaultConfig()
	if err != nil {
		c.problems = []string{fmt.Sprintf("%s: %v", configName, err)}
	} else {
		c = parseConfig(configName, src)
	}
	if !racy {
		c.stat = stat
	}
	ws.config.Store(c)
}

// UserConfig is what the user's own file sets for the daemon: $XDG_CONFIG_HOME/ctx/config.toml.
type UserConfig struct {
	Daemon struct {
		IdleMinutes int `toml:"idle_minutes"` // without requests until the daemon ends
	} `toml:"daemon"`
	Store struct {
		RetentionDays int   `toml:"retention_days"` // since the last use of a capture
		MaxBytes      int64 `toml:"max_bytes"`      // of all captures on disk
	} `toml:"store"`

	// Problems names what is wrong in the file; doctor shows it.
	Problems []string `toml:"-"`
}

// ParseUserConfig never fails: what is wrong keeps its default and is named in Problems.
func ParseUserConfig(name string, src []byte) UserConfig {
	def := UserConfig{}
	def.Daemon.IdleMinutes = 30
	def.Store.RetentionDays = 30
	def.Store.MaxBytes = 2 << 30
	c := def
	if err := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(&c); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			for _, e := range strict.Errors {
				c.Problems = append(c.Problems, fmt.Sprintf("%s: unknown key %s", name, strings.Join(e.Key(), ".")))
			}
		} else {
			c = def
			c.Problems = append(c.Problems, fmt.Sprintf("%s: %v; the defaults are used", name, err))
		}
	}
	if c.Daemon.IdleMinutes <= 0 || c.Store.RetentionDays < 0 || c.Store.MaxBytes <= 0 {
		c.Problems = append(c.Problems, name+": idle_minutes and max_bytes must be positive; the defaults are used")
		c.Daemon, c.Store = def.Daemon, def.Store
	}
	return c
}

// Idle is how long the daemon waits for a request before it ends.
func (c UserConfig) Idle() time.Duration { return time.Duration(c.Daemon.IdleMinutes) * time.Minute }

// Retention is how long a capture is kept since its last use.
func (c UserConfig) Retention() time.Duration {
	return time.Duration(c.Store.RetentionDays) * 24 * time.Hour
}
