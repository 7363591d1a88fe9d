package index

import (
	"maps"
	"slices"
)

// badMatch finds a case behind one that takes everything.
func (t *tree) badMatch(i int) (Fault, bool) {
	block := t.firstOf(i, "block")
	if block < 0 {
		return Fault{}, false
	}
	cases := t.children(block)
	for k, c := range cases {
		if k == len(cases)-1 || t.kind(c) != "case_clause" || t.firstOf(c, "if_clause") >= 0 || t.firstOf(c, ",") >= 0 {
			continue
		}
		if p := t.firstOf(c, "case_pattern"); p >= 0 && t.takesAll(p) {
			return t.fault(p, "no later case is reached behind this pattern"), true
		}
	}
	return Fault{}, false
}

// takesAll says whether a pattern is a name, or one as another.
func (t *tree) takesAll(i int) bool {
	children := t.children(i)
	switch t.kind(i) {
	case "case_pattern", "as_pattern":
		return len(children) > 0 && t.takesAll(children[0])
	case "dotted_name":
		return len(children) == 1
	case "tuple_pattern": // (a)
		return len(children) == 3 && t.takesAll(children[1])
	case "_":
		return true
	}
	return false
}

// badPatterns finds names that the patterns of a case give twice, and alternatives that give others.
func (t *tree) badPatterns(i int) (Fault, bool) {
	names := map[string]bool{}
	stars := 0
	for _, c := range t.children(i) {
		if t.kind(c) != "case_pattern" {
			continue
		}
		if t.splats(c) {
			if stars++; stars > 1 {
				return t.word(c, "unexpected second `*`"), true
			}
		}
		if f, ok := t.captures(c, names); ok {
			return f, true
		}
	}
	return Fault{}, false
}

func (t *tree) captures(i int, names map[string]bool) (Fault, bool) {
	capture := func(name int) (Fault, bool) {
		text := t.text(name)
		if text == "_" {
			return Fault{}, false
		}
		was := names[text]
		names[text] = true
		return t.fault(name, ticked(text)+" stands twice in the pattern"), was
	}
	children := t.children(i)
	switch t.kind(i) {
	case "dotted_name":
		if len(children) == 1 {
			return capture(children[0])
		}
		return Fault{}, false
	case "union_pattern":
		return t.alternatives(children, names)
	case "keyword_pattern":
		children = children[1:]
	case "class_pattern":
		if f, ok := t.classPattern(children); ok {
			return f, true
		}
		children = children[1:]
	}
	stars := 0
	for k, c := range children {
		switch t.kind(c) {
		case "identifier":
			if kind := t.kind(i); kind == "splat_pattern" || kind == "as_pattern" && k == len(children)-1 {
				if f, ok := capture(c); ok {
					return f, true
				}
			}
			continue
		case "splat_pattern":
			stars++
		case "case_pattern":
			if t.splats(c) {
				stars++
			}
		}
		if stars > 1 {
			return t.word(c, "unexpected second `*`"), true
		}
		if stars > 0 && t.kind(i) == "dict_pattern" && t.named(c) && t.kind(c) != "splat_pattern" && !t.splats(c) {
			return t.word(c, "nothing may follow `**`"), true
		}
		if f, ok := t.captures(c, names); ok {
			return f, true
		}
	}
	return Fault{}, false
}

func (t *tree) splats(i int) bool {
	inner := t.children(i)
	return len(inner) == 1 && t.kind(inner[0]) == "splat_pattern"
}

// alternatives: all bind the same names, and none but the last takes everything.
func (t *tree) alternatives(children []int, names map[string]bool) (Fault, bool) {
	var first map[string]bool
	for k, c := range children {
		if !t.named(c) && t.kind(c) != "_" {
			continue
		}
		if k < len(children)-1 && t.takesAll(c) {
			return t.fault(c, "no later pattern is reached behind this one"), true
		}
		own := map[string]bool{}
		if f, ok := t.captures(c, own); ok {
			return f, true
		}
		if first == nil {
			first = own
		} else if !maps.Equal(first, own) {
			return t.fault(c, "alternative patterns bind other names"), true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if names[name] {
			return t.fault(children[0], ticked(name)+" stands twice in the pattern"), true
		}
		names[name] = true
	}
	return Fault{}, false
}

// classPattern: names stand once, and behind all patterns without one.
func (t *tree) classPattern(children []int) (Fault, bool) {
	names := map[string]bool{}
	for _, c := range children[1:] {
		if t.kind(c) != "case_pattern" {
			continue
		}
		inner := t.children(c)
		if len(inner) == 0 || t.kind(inner[0]) != "keyword_pattern" {
			if len(names) > 0 {
				return t.word(c, "a pattern without a name behind one that has one"), true
			}
			continue
		}
		name := t.children(inner[0])[0]
		if text := t.text(name); names[text] {
			return t.fault(name, "the attribute "+ticked(text)+" is given twice"), true
		} else {
			names[text] = true
		}
	}
	return Fault{}, false
}
