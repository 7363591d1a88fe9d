// Recall compares the definitions that package index finds in a tree with those that universal-ctags
// finds there, and prints what only ctags has:
//
//	go run ./index/internal/recall -kinds 'func method struct' -samples 5 DIR LANGUAGE...
//
// A ctags entry counts as found when there is a definition of its name whose name, or whose range's
// first line, is on the entry's line. Entries that ctags itself marks as locals, parameters or imports
// are not asked for; -kinds narrows further.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxd/index"
)

// ignored are the kinds of ctags that are no definitions in the sense of this project: locals,
// parameters, labels, imports, and packages, which are File.Module here.
var ignored = strings.Fields("local parameter label import unknown package packageName namespace-alias header anonMember module-import receiver externvar prototype-param")

type place struct {
	file, name string
	line       int
}

type miss struct {
	place
	text string
}

func main() {
	kinds := flag.String("kinds", "", "kinds of ctags to compare, all when empty")
	samples := flag.Int("samples", 5, "misses to print per kind")
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := compare(flag.Arg(0), flag.Args()[1:], strings.Fields(*kinds), *samples); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func compare(dir string, languages, kinds []string, samples int) error {
	files, err := read(dir, languages)
	if err != nil {
		return err
	}
	found, status := ours(files)
	total, missed := map[string]int{}, map[string][]miss{}
	err = theirs(files, func(kind, text string, at place) {
		if slices.Contains(ignored, kind) || len(kinds) > 0 && !slices.Contains(kinds, kind) ||
			strings.HasPrefix(at.name, "__anon") || strings.HasPrefix(at.name, "anonFunc") ||
			kind == "namespace" && strings.Contains(text, "import ") || at.name == "_" {
			return
		}
		total[kind]++
		if !found[at] {
			missed[kind] = append(missed[kind], miss{at, text})
		}
	})
	if err != nil {
		return err
	}
	report(len(files), status, total, missed, samples)
	return nil
}

func read(dir string, languages []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil && slices.Contains(languages, index.Language(path, src)) {
			files[path] = src
		}
		return err
	})
	return files, err
}

// ours has each definition at the line of its name and at the first of its range.
func ours(files map[string][]byte) (map[place]bool, map[string]int) {
	found, status := map[place]bool{}, map[string]int{}
	for path, src := range files {
		f := index.Build(path, src)
		status[f.Status.String()]++
		if len(f.Errors) > 0 {
			status["with errors"]++
		}
		starts := []uint32{0}
		for i, b := range src {
			if b == '\n' {
				starts = append(starts, uint32(i+1))
			}
		}
		line := func(at uint32) int {
			i, exact := slices.BinarySearch(starts, at)
			if exact {
				i++
			}
			return i
		}
		for _, d := range f.Defs {
			found[place{path, d.Name, line(d.NameStart)}] = true
			found[place{path, d.Name, line(d.Start)}] = true
			found[place{path, d.Name, line(d.SigStart)}] = true
		}
	}
	return found, status
}

func theirs(files map[string][]byte, entry func(kind, text string, at place)) error {
	var list strings.Builder
	for path := range files {
		list.WriteString(path + "\n")
	}
	cmd := exec.Command("ctags", "-x", "--_xformat=%{kind}\t%{line}\t%{name}\t%{input}\t%{compact}", "--kinds-c=+p", "--kinds-c++=+p", "-L", "-")
	cmd.Stdin, cmd.Stderr = strings.NewReader(list.String()), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		cells := strings.SplitN(lines.Text(), "\t", 5)
		if len(cells) < 5 {
			continue
		}
		line, _ := strconv.Atoi(cells[1])
		entry(cells[0], cells[4], place{cells[3], cells[2], line})
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return cmd.Wait()
}

func report(files int, status, total map[string]int, missed map[string][]miss, samples int) {
	fmt.Println("files:", files, status)
	all, allMissed := 0, 0
	for kind, n := range total {
		all += n
		allMissed += len(missed[kind])
	}
	var kinds []string
	for kind := range total {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		m := missed[kind]
		fmt.Printf("%-14s %7d entries, %5d missed, recall %.3f %%\n", kind, total[kind], len(m), 100*float64(total[kind]-len(m))/float64(total[kind]))
		slices.SortFunc(m, func(a, b miss) int { return strings.Compare(a.file+a.name, b.file+b.name) })
		step := max(1, len(m)/max(1, samples))
		for i := 0; i < len(m) && i/step < samples; i += step {
			fmt.Printf("    %s:%d %s: %.100s\n", m[i].file, m[i].line, m[i].name, m[i].text)
		}
	}
	fmt.Printf("%-14s %7d entries, %5d missed, recall %.3f %%\n", "all", all, allMissed, 100*float64(all-allMissed)/float64(max(1, all)))
}
