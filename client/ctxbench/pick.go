package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// The strata of the sample. A server's list of a file's symbols has few local names or none, so that
// those are also found from uses: the definition, in the same file, of a word picked by chance.
const (
	aFunction = "function"
	aMethod   = "method"
	aType     = "type"
	aValue    = "value" // constants and variables of a file, module or package
	aField    = "field"
	aLocal    = "local"
)

var strata = []string{aFunction, aMethod, aType, aValue, aField, aLocal}

const (
	// shortName and commonWord are what makes a name common: that many letters at most, or more
	// occurrences as a word in the tree.
	shortName  = 3
	commonWord = 2000
	// commonShare is how many common names are sampled beside the others: one for so many.
	commonShare = 5
	// localTries is how many words of a file are tried for a local name.
	localTries = 12
)

// symbol is one definition of the sample, and the server's references to it.
type symbol struct {
	Site   site   `json:"site"` // of its name
	Name   string `json:"name"`
	Kind   string `json:"kind"` // its stratum
	Common bool   `json:"common,omitempty"`
	// References are the server's in the tree, the definition's own name among them if it says so, sorted.
	References []site `json:"references"`
	// Outside counts those in files that are not of the tree.
	Outside int `json:"outside,omitempty"`
	// Failed is why the server gave no answer.
	Failed string `json:"failed,omitempty"`
}

// documentSymbol is LSP's, in its nested form.
type documentSymbol struct {
	Name      string           `json:"name"`
	Kind      int              `json:"kind"`
	Selection wire.Range       `json:"selectionRange"`
	Children  []documentSymbol `json:"children"`
}

// The kinds of symbols of LSP that are told apart.
const (
	kindClass         = 5
	kindMethod        = 6
	kindProperty      = 7
	kindField         = 8
	kindConstructor   = 9
	kindEnum          = 10
	kindInterface     = 11
	kindFunction      = 12
	kindVariable      = 13
	kindConstant      = 14
	kindString        = 15
	kindNull          = 21
	kindEnumMember    = 22
	kindStruct        = 23
	kindTypeParameter = 26
)

// stratum says where a symbol belongs, by its kind and those it stands in; "" when it is not compared.
func stratum(kind int, outer []int, line, language string) string {
	within := func(kinds ...int) bool {
		return slices.ContainsFunc(outer, func(k int) bool { return slices.Contains(kinds, k) })
	}
	switch kind {
	case kindMethod, kindConstructor:
		return aMethod
	case kindFunction:
		// gopls gives a type the kind of what is under it.
		if language == "go" && !strings.HasPrefix(strings.TrimSpace(line), "func") {
			return aType
		}
		return aFunction
	case kindClass, kindEnum, kindInterface, kindStruct, kindTypeParameter:
		return aType
	case kindProperty, kindField, kindEnumMember:
		return aField
	case kindVariable, kindConstant:
		switch {
		case within(kindFunction, kindMethod, kindConstructor):
			return aLocal
		case len(outer) > 0 && slices.Contains([]int{kindClass, kindStruct, kindInterface, kindEnum}, outer[len(outer)-1]):
			return aField
		}
		return aValue
	}
	if language == "go" && kind >= kindString && kind <= kindNull {
		return aType
	}
	return ""
}

// sampler picks symbols until it has enough of each stratum.
type sampler struct {
	s           *languageServer
	t           *tree
	l           language
	n           int // symbols wanted beside the common ones
	frequencies map[string]int
	chance      *rand.Rand

	taken   map[string]int // by stratum, and by stratum and common
	picked  []symbol
	reserve []symbol // passed over: another of its stratum was taken from the file
	opened  []string
}

// sampled picks n symbols that are not common and n/commonShare that are, as many of each stratum as far
// as there are, from as many files as possible, always the same ones of the same tree and seed.
func sampled(ctx context.Context, s *languageServer, t *tree, l language, n int, seed uint64, seen []string) (*sampler, error) {
	frequencies, err := t.frequencies()
	if err != nil {
		return nil, err
	}
	p := &sampler{s: s, t: t, l: l, n: n, frequencies: frequencies, chance: rand.New(rand.NewPCG(seed, 2)), taken: map[string]int{}}
	files := slices.Clone(seen)
	p.chance.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for i, file := range files {
		if p.full() || len(p.picked) >= n && i >= 2*n {
			break
		}
		if err := p.file(ctx, file); err != nil {
			return nil, err
		}
	}
	p.fill()
	slices.SortFunc(p.picked, func(a, b symbol) int { return compareSites(a.Site, b.Site) })
	return p, nil
}

func compareSites(a, b site) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
}

// quota is how many of one stratum are wanted, common or not.
func (p *sampler) quota(common bool) int {
	if common {
		return max(1, p.n/commonShare/len(strata))
	}
	return p.n / len(strata)
}

func group(kind string, common bool) string {
	if common {
		return kind + " common"
	}
	return kind
}

func (p *sampler) full() bool {
	for _, kind := range strata {
		if p.taken[group(kind, false)] < p.quota(false) || p.taken[group(kind, true)] < p.quota(true) {
			return false
		}
	}
	return true
}

// take adds a symbol if its stratum is wanted.
func (p *sampler) take(s symbol) bool {
	if p.taken[group(s.Kind, s.Common)] >= p.quota(s.Common) {
		return false
	}
	p.taken[group(s.Kind, s.Common)]++
	p.picked = append(p.picked, s)
	return true
}

// fill makes up for strata that are too small with what was passed over.
func (p *sampler) fill() {
	missing := p.n
	for _, s := range p.picked {
		if !s.Common {
			missing--
		}
	}
	for _, s := range p.reserve {
		if missing > 0 && !s.Common {
			p.picked = append(p.picked, s)
			missing--
		}
	}
}

// file takes at most one symbol of each stratum from a file, common and not.
func (p *sampler) file(ctx context.Context, file string) error {
	if err := p.s.show(p.t, file); err != nil {
		return err
	}
	p.opened = append(p.opened, file)
	var listed []documentSymbol
	document := map[string]any{"textDocument": map[string]any{"uri": uriOf(p.t.root + "/" + file)}}
	if err := p.s.call(ctx, "textDocument/documentSymbol", document, &listed); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	known := map[site]bool{}
	candidates := p.candidates(file, listed, nil, known)
	p.chance.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	had := map[string]bool{}
	for _, s := range candidates {
		if key := group(s.Kind, s.Common); !had[key] && p.take(s) {
			had[key] = true
		} else {
			p.reserve = append(p.reserve, s)
		}
	}
	if had[aLocal] || p.taken[aLocal] >= p.quota(false) {
		return nil
	}
	return p.local(ctx, file, known)
}

// candidates are the symbols of a list that are compared, and all that it lists: known.
func (p *sampler) candidates(file string, listed []documentSymbol, outer []int, known map[site]bool) []symbol {
	var all []symbol
	for _, d := range listed {
		at := p.t.site(file, d.Selection.Start)
		kind := stratum(d.Kind, outer, p.t.line(file, at.line), p.l.id)
		name := p.t.name(at)
		// A list may name what has no name, and a constructor is called by its class's.
		if kind != "" && name != "" && name != "_" && name != "constructor" && !known[at] && strings.Contains(d.Name, name) {
			all = append(all, p.symbol(at, name, kind))
		}
		known[at] = true
		all = append(all, p.candidates(file, d.Children, append(slices.Clone(outer), d.Kind), known)...)
	}
	return all
}

func (p *sampler) symbol(at site, name, kind string) symbol {
	return symbol{Site: at, Name: name, Kind: kind, Common: len(name) <= shortName || p.frequencies[name] > commonWord}
}

// local takes a local name of a file: one that a word of it, by chance, is a use of.
func (p *sampler) local(ctx context.Context, file string, known map[site]bool) error {
	lines := p.t.text(file)
	for range localTries {
		n := p.chance.IntN(len(lines)) + 1
		at, ok := p.wordOf(file, n)
		if !ok {
			continue
		}
		places, err := p.s.places(ctx, "textDocument/definition", p.t, at, nil)
		if err != nil {
			continue // no definition: a comment, a keyword
		}
		if len(places) != 1 {
			continue
		}
		rel, ok := p.s.pathOf(places[0].URI)
		if !ok || rel != file {
			continue
		}
		to := p.t.site(file, places[0].Range.Start)
		// The clause package x is the definition of an imported package's name.
		if known[to] || p.t.name(to) != p.t.name(at) || strings.HasPrefix(p.t.line(file, to.line), "package ") {
			continue
		}
		if s := p.symbol(to, p.t.name(to), aLocal); p.take(s) {
			return nil
		}
	}
	return nil
}

// wordOf is a word of a line, by chance.
func (p *sampler) wordOf(file string, n int) (site, bool) {
	line := p.t.line(file, n)
	var words []site
	for at, r := range line {
		if s := (site{file, n, at + 1}); wordRune(r) && (at == 0 || !wordRune(rune(line[at-1]))) && p.t.name(s) != "" {
			words = append(words, s)
		}
	}
	if len(words) == 0 {
		return site{}, false
	}
	return words[p.chance.IntN(len(words))], true
}

// places asks for the locations that a request about a place returns, in one form.
func (s *languageServer) places(ctx context.Context, method string, t *tree, at site, more map[string]any) ([]location, error) {
	if err := s.show(t, at.path); err != nil {
		return nil, err
	}
	params := map[string]any{"textDocument": map[string]any{"uri": uriOf(t.root + "/" + at.path)}, "position": t.position(at)}
	for key, value := range more {
		params[key] = value
	}
	var all locations
	if err := s.call(ctx, method, params, &all); err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].URI == "" {
			all[i].URI, all[i].Range = all[i].TargetURI, all[i].Target
		}
	}
	return all, nil
}
