package checkers

import (
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reviewdog/errorformat"
)

// Checker is one configured command. Of a ready one (see Ready) the name is enough; what is set beside it takes the
// place of its own.
type Checker struct {
	Name string `toml:"name"`
	// Languages are the names of package index; Files are patterns of base names, such as *.sh. A file that
	// either names is the checker's.
	Languages []string `toml:"languages"`
	Files     []string `toml:"files"`
	// Command is the program and its arguments. {file} is one file, {files} as an argument of its own is as many
	// as there are, both relative to the root, in which the command runs; with neither it judges the
	// whole workspace. {cache} is a directory for what it writes, {root} the workspace.
	Command []string `toml:"command"`
	// Env are variables, NAME=VALUE, with the same words.
	Env []string `toml:"env"`
	// Format are the patterns of Vim's errorformat that find the problems in what it prints.
	Format []string `toml:"format"`
	// Severity is that of problems whose line has none: error, warning or info.
	Severity string `toml:"severity"`
	// Alone says that its verdict of a file depends on nothing but that file's bytes.
	Alone bool `toml:"alone"`
	// Syntax says that it finds every syntax error, so that nobody else needs to.
	Syntax bool `toml:"syntax"`
	// TimeoutSeconds bounds one run; 0: a minute.
	TimeoutSeconds int `toml:"timeout_seconds"`
}

const (
	usualTimeout = time.Minute
	maxTimeout   = 3600
	// maxFiles bounds the files of one run: the arguments of a command must fit into 128 KiB or so.
	maxFiles = 64
)

// Complete fills in what a ready checker of that name has, and says what is wrong ("" for nothing).
func (c Checker) Complete() (Checker, string) {
	if i := slices.IndexFunc(Ready, func(r Checker) bool { return r.Name == c.Name }); i >= 0 {
		c = c.over(Ready[i])
	}
	switch {
	case c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(c.Name) > 64:
		return c, "a checker needs a name of at most 64 characters"
	case len(c.Command) == 0 || c.Command[0] == "":
		return c, fmt.Sprintf("%s is no ready checker (%s), so it needs a command", c.Name, strings.Join(names(), ", "))
	case len(c.Languages) == 0 && len(c.Files) == 0:
		return c, c.Name + " needs languages or files"
	case len(c.Format) == 0:
		return c, c.Name + " needs a format"
	case c.Severity != "" && c.Severity != "error" && c.Severity != "warning" && c.Severity != "info":
		return c, fmt.Sprintf("%s has severity %q: error, warning or info", c.Name, c.Severity)
	case c.TimeoutSeconds < 0 || c.TimeoutSeconds > maxTimeout:
		return c, fmt.Sprintf("%s has timeout_seconds %d: 0 to %d", c.Name, c.TimeoutSeconds, maxTimeout)
	}
	for _, pattern := range c.Files {
		if _, err := path.Match(pattern, ""); err != nil {
			return c, fmt.Sprintf("%s has the pattern %q: %v", c.Name, pattern, err)
		}
	}
	if _, err := errorformat.NewErrorformat(c.Format); err != nil {
		return c, fmt.Sprintf("%s has a format that cannot be read: %v", c.Name, err)
	}
	return c, ""
}

// over is c with the fields of base where it has none.
func (c Checker) over(base Checker) Checker {
	for _, list := range []struct{ own, base *[]string }{
		{&c.Languages, &base.Languages}, {&c.Files, &base.Files}, {&c.Command, &base.Command}, {&c.Env, &base.Env}, {&c.Format, &base.Format},
	} {
		if len(*list.own) == 0 {
			*list.own = *list.base
		}
	}
	if c.Severity == "" {
		c.Severity = base.Severity
	}
	if c.TimeoutSeconds == 0 {
		c.TimeoutSeconds = base.TimeoutSeconds
	}
	c.Alone = c.Alone || base.Alone
	c.Syntax = c.Syntax || base.Syntax
	return c
}

func names() []string {
	var all []string
	for _, r := range Ready {
		all = append(all, r.Name)
	}
	return all
}

// Takes says whether a file of that path and language is the checker's.
func (c *Checker) Takes(file, language string) bool {
	if language != "" && slices.Contains(c.Languages, language) {
		return true
	}
	return slices.ContainsFunc(c.Files, func(pattern string) bool {
		ok, _ := path.Match(pattern, path.Base(file))
		return ok
	})
}

// Whole says that it judges the workspace in one run.
func (c *Checker) Whole() bool {
	return !slices.ContainsFunc(c.Command, func(word string) bool {
		return word == "{files}" || strings.Contains(word, "{file}")
	})
}

// Batch is how many files one run takes.
func (c *Checker) Batch() int {
	if slices.Contains(c.Command, "{files}") {
		return maxFiles
	}
	return 1
}

func (c *Checker) timeout() time.Duration {
	if c.TimeoutSeconds == 0 {
		return usualTimeout
	}
	return time.Duration(c.TimeoutSeconds) * time.Second
}

// Missing says why the command cannot run at all; "" when it can.
func (c *Checker) Missing(root string) string {
	if _, err := c.program(root); err != nil {
		return "not installed: " + c.Command[0]
	}
	return ""
}

// program is the path of the command: in PATH, or, where it has a slash, below the root.
func (c *Checker) program(root string) (string, error) {
	name := c.Command[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(root, name)
	}
	return exec.LookPath(name)
}
