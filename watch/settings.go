package watch

import (
	"path/filepath"
	"strings"
)

// settings are the parts of git's configuration that decide which files it lists.
type settings struct {
	excludes string // core.excludesFile, absolute; "" is none
	fold     bool   // core.ignoreCase
	hashSize int    // bytes of an object name: 20, or 32 with extensions.objectFormat sha256
	problems []Problem
}

// maxIncludes bounds the files that one configuration may include, as git bounds their depth.
const maxIncludes = 100

type configReader struct {
	outside  *outside
	getenv   func(string) string
	repo     repository
	settings settings
	worktree bool // extensions.worktreeConfig
	files    int
}

// settings reads the system's, the user's and the repository's configuration in the order
// in which later ones win. Worked out anew each time from what the files hold: includes make
// it unclear what a cached result depends on. The zero repository is none.
func (o *outside) settings(repo repository, getenv func(string) string) settings {
	home := getenv("HOME")
	xdg := getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	r := configReader{outside: o, getenv: getenv, repo: repo, settings: settings{hashSize: 20}}
	if xdg != "" {
		r.settings.excludes = filepath.Join(xdg, "git", "ignore")
	}
	if no := (setting{value: getenv("GIT_CONFIG_NOSYSTEM")}); !no.truth() {
		system := getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		r.read(system)
	}
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		r.read(global)
	} else if home != "" || xdg != "" {
		r.read(filepath.Join(xdg, "git", "config"))
		r.read(filepath.Join(home, ".gitconfig"))
	}
	if repo.common != "" {
		r.read(filepath.Join(repo.common, "config"))
		if r.worktree {
			r.read(filepath.Join(repo.git, "config.worktree"))
		}
	}
	return r.settings
}

func (r *configReader) read(path string) {
	if !filepath.IsAbs(path) {
		return
	}
	if r.files++; r.files > maxIncludes {
		return
	}
	config, err := r.outside.config(path)
	if err != nil {
		return
	}
	s := &r.settings
	for _, set := range config {
		switch set.name {
		case "core.excludesfile":
			if set.value == "" {
				s.excludes = ""
				break
			}
			if full, ok := r.expand(set.value, r.repo.top); ok {
				s.excludes = full
				break
			}
			s.problems = append(s.problems, Problem{Path: path, Reason: "core.excludesFile " + set.value + " cannot be located: write an absolute path or ~/…"})
		case "core.ignorecase":
			s.fold = set.truth()
		case "extensions.objectformat":
			if set.value == "sha256" {
				s.hashSize = 32
			}
		case "extensions.worktreeconfig":
			r.worktree = set.truth()
		case "include.path":
			r.include(set.value, path)
		default:
			condition, ok := strings.CutPrefix(set.name, "includeif.")
			if condition, isPath := strings.CutSuffix(condition, ".path"); ok && isPath && r.holds(condition, path) {
				r.include(set.value, path)
			}
		}
	}
}

func (r *configReader) include(value, from string) {
	if full, ok := r.expand(value, filepath.Dir(from)); ok {
		r.read(full)
	}
}

// expand makes a configured path absolute: ~/ is the home directory, relative is to dir.
func (r *configReader) expand(path, dir string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home := r.getenv("HOME")
		return filepath.Join(home, rest), home != ""
	}
	if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "%(prefix)") || dir == "" && !filepath.IsAbs(path) {
		return "", false
	}
	return under(dir, path), true
}

// holds decides an includeIf condition. gitdir and gitdir/i are known; conditions on the branch
// or on remotes do not hold, since ignore rules that change with the branch would have to be
// read from refs.
func (r *configReader) holds(condition, from string) bool {
	kind, glob, _ := strings.Cut(condition, ":")
	fold := kind == "gitdir/i"
	if kind != "gitdir" && !fold || r.repo.git == "" {
		return false
	}
	switch {
	case strings.HasPrefix(glob, "./"):
		glob = filepath.Dir(from) + glob[1:]
	case strings.HasPrefix(glob, "~/"):
		glob = r.getenv("HOME") + glob[1:]
	case !filepath.IsAbs(glob):
		glob = "**/" + glob
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	w := compileWildcard(glob, true, fold)
	return w.match(r.repo.git)
}
