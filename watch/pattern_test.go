package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// judge is what a chain of one list says of a path whose parents are directories.
func judge(list *ruleList, path string) bool {
	for at := 0; ; {
		n := strings.IndexByte(path[at:], '/')
		if n < 0 {
			p := list.match(path, path[at:], false)
			return p != nil && !p.negated
		}
		if p := list.match(path[:at+n], path[at:at+n], true); p != nil && !p.negated {
			return true
		}
		at += n + 1
	}
}

// checkIgnore asks git about every path of every case. Each case gets a directory of its own in
// one repository, so that thousands take one process.
func (c clean) checkIgnore(t testing.TB, repo string, rules []string, asked [][]string, fold bool) [][]bool {
	t.Helper()
	var in strings.Builder
	for i, content := range rules {
		dir := filepath.Join(repo, fmt.Sprintf("d%d", i))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(content), 0o644))
		for _, p := range asked[i] {
			fmt.Fprintf(&in, "d%d/%s\x00", i, p)
		}
	}
	out, err := c.tryGit(repo, in.String(), "-c", fmt.Sprintf("core.ignoreCase=%v", fold),
		"check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	fields := strings.Split(out, "\x00")
	if len(fields)%4 != 1 { // exit 1 only says that no path is ignored
		t.Fatalf("git check-ignore: %v\n%s", err, out)
	}
	answers := make([][]bool, len(rules))
	for i := range asked {
		for _, p := range asked[i] {
			if len(fields) < 4 || fields[3] != fmt.Sprintf("d%d/%s", i, p) {
				t.Fatalf("git check-ignore answered out of order at %q: %q", p, fields[:min(4, len(fields))])
			}
			answers[i] = append(answers[i], fields[1] != "" && !strings.HasPrefix(fields[2], "!"))
			fields = fields[4:]
		}
	}
	return answers
}

// The generators favour collisions: few letters, much syntax.
var (
	patternParts = []string{"a", "b", "A", "ab", "*", "**", "?", "/", "/", "**/", "/**", "[ab]", "[!a]", "[^a]", "[a-c]", "[]a]", "[a",
		`\`, `\*`, `\a`, `\A`, `\!`, `\#`, " ", `\ `, "!", "#", ".", "[[:alpha:]]", "[[:upper:]]", "[![:space:]]", "[[:x:]]", "[[:]", "[a-]",
		"[A-Z]", "[-a]", `[\]]`, "\t", "\r", "é", "\xff", "\x00", "[/]", "[!b]", "a*b", "*.c", "***", `**\/`, "[B]"}
	nameParts = []string{"a", "b", "c", "A", "B", "ab", "a.c", "*", "!", "#", " ", "[", "]", `\`, "-", "\t", "é", "\xff", ".", "x", "\r", "\v", "1", "z:"}
)

// loosened is a path turned into a pattern that likely matches it.
func loosened(r *rand.Rand, path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case r.IntN(6) > 0:
			b.WriteByte(c)
		case r.IntN(3) == 0:
			b.WriteString(patternParts[r.IntN(len(patternParts))])
		case c == '/' && r.IntN(2) == 0:
			b.WriteString("/**/")
		case r.IntN(3) == 0:
			b.WriteString("?")
		case r.IntN(2) == 0:
			b.WriteString("*")
			i += r.IntN(3)
		default:
			fmt.Fprintf(&b, "[%c-%c]", c, c|3)
		}
	}
	return b.String()
}

func randomRules(r *rand.Rand, paths ...string) string {
	var b strings.Builder
	if r.IntN(20) == 0 {
		b.WriteString("\ufeff")
	}
	for range 2 + r.IntN(6) {
		if r.IntN(5) == 0 {
			b.WriteString("!")
		}
		more := 1 + r.IntN(5)
		if len(paths) > 0 && r.IntN(2) == 0 {
			path := paths[r.IntN(len(paths))]
			if at := strings.LastIndexByte(path, '/'); at > 0 && r.IntN(2) == 0 {
				path = path[:at]
			}
			b.WriteString(loosened(r, path))
			more = max(0, r.IntN(6)-4)
		}
		for range more {
			b.WriteString(patternParts[r.IntN(len(patternParts))])
		}
		if r.IntN(8) == 0 {
			b.WriteString("\r")
		}
		b.WriteString("\n")
	}
	s := b.String()
	if r.IntN(4) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func randomPath(r *rand.Rand) string {
	var elements []string
	for range 1 + r.IntN(4) {
		name := ""
		for range 1 + r.IntN(3) {
			name += nameParts[r.IntN(len(nameParts))]
		}
		if strings.Trim(name, ".") == "" || strings.EqualFold(name, ".git") {
			name = "a"
		}
		elements = append(elements, name)
	}
	return strings.Join(elements, "/")
}

// TestPatternsEqualGit compares the matcher with git check-ignore on generated ignore files.
func TestPatternsEqualGit(t *testing.T) {
	const cases, each = 2000, 25
	for _, fold := range []bool{false, true} {
		c := clean{t.TempDir()}
		repo := t.TempDir()
		c.git(t, repo, "", "init", "-q")
		r := rand.New(rand.NewPCG(1, 2))
		rules := make([]string, cases)
		asked := make([][]string, cases)
		for i := range rules {
			for range each {
				asked[i] = append(asked[i], randomPath(r))
			}
			rules[i] = randomRules(r, asked[i]...)
		}
		hits, wrong := 0, 0
		for i, answers := range c.checkIgnore(t, repo, rules, asked, fold) {
			list := parseRules(".gitignore", rules[i], fold)
			for j, want := range answers {
				if want {
					hits++
				}
				if got := judge(list, asked[i][j]); got != want {
					if wrong++; wrong < 20 {
						t.Errorf("fold %v: %q against %q: ignored %v, git says %v", fold, rules[i], asked[i][j], got, want)
					}
				}
			}
		}
		if share := float64(hits) / (cases * each); wrong > 0 || share < 0.1 || share > 0.9 {
			t.Errorf("fold %v: %d of %d answers differ from git; %.0f %% are hits", fold, wrong, cases*each, 100*share)
		}
	}
}

// FuzzPattern is the same comparison for the fuzzer, one question at a time.
func FuzzPattern(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		path := randomPath(r)
		f.Add(randomRules(r, path), path, r.IntN(2) == 0)
	}
	f.Add("/a**/b\n", "ax/y/b", false)
	f.Add("**/a/**/b*[!c]\n!a/*/\n", "a/x/y/bd", false)
	c := clean{f.TempDir()}
	repo := f.TempDir()
	c.git(f, repo, "", "init", "-q")
	f.Fuzz(func(t *testing.T, rules, path string, fold bool) {
		for element := range strings.SplitSeq(path, "/") {
			if strings.Trim(element, ".") == "" || strings.EqualFold(element, ".git") || len(element) > 255 {
				return
			}
		}
		if strings.ContainsRune(path, 0) || len(path) > 3000 {
			return
		}
		want := c.checkIgnore(t, repo, []string{rules}, [][]string{{path}}, fold)[0][0]
		if got := judge(parseRules(".gitignore", rules, fold), path); got != want {
			t.Errorf("fold %v: %q against %q: ignored %v, git says %v", fold, rules, path, got, want)
		}
	})
}
