package daemon

import (
	"bytes"
	"context"
	"strings"

	"ctxd/client/wire"
	"ctxd/index"
)

// Implementations lists the types that say that they implement or extend the type at an offset, and, of a member of
// it, their members of its name. What a language leaves unsaid, as Go does, is not guessed.
func (ws *Workspace) Implementations(ctx context.Context, path string, offset int) ([]Found, error) {
	return upToDate(ctx, ws, asking{}, func(snap *Snapshot) ([]Found, error) {
		t, err := ws.text(ctx, path)
		if err != nil {
			return nil, err
		}
		x := &heirs{ws: ws, ctx: ctx, snap: snap}
		err = x.at(t, offset)
		return x.found.all, err
	})
}

// heirs collects what inherits from one type.
type heirs struct {
	ws     *Workspace
	ctx    context.Context
	snap   *Snapshot
	found  distinct
	parsed *Text // whose syntax is known
	syntax *index.Syntax
}

// at adds what inherits from what stands at an offset of a text.
func (x *heirs) at(t *Text, offset int) error {
	m, err := x.ws.means(x.ctx, x.snap, t, offset)
	if err != nil || m == nil || m.Tier == wire.TierName {
		return err
	}
	for _, d := range m.Definitions {
		if d.Facts == nil {
			continue
		}
		at, member := d.Def, ""
		if !isType(at.Kind) {
			owner, ok := Enclosing(d.Facts, int(d.Def.NameStart), int(d.Def.NameEnd))
			if !ok || !isType(owner.Kind) {
				continue
			}
			at, member = owner, d.Def.Name
		}
		u, _, err := x.ws.usesAt(x.ctx, x.snap, d.Text, int(at.NameStart), "")
		if err != nil {
			return err
		} else if u == nil {
			continue
		}
		for _, site := range u.Sites {
			if site.Tier == wire.TierName {
				continue
			}
			if err := x.of(site, member); err != nil {
				return err
			}
		}
	}
	return nil
}

// of adds the type that says at a site that it inherits from what is named there, or its member of a name.
func (x *heirs) of(site Site, member string) error {
	if site.Facts.Language == "rust" {
		if name, ok := implOf(site); ok {
			return x.inBlock(site, name, member)
		}
	}
	heir, ok := Enclosing(site.Facts, site.Start, site.End)
	if !ok || !isType(heir.Kind) || site.Start < int(heir.NameEnd) || site.End > int(heir.SigEnd) ||
		!inherits(site.Facts.Language, heir.Kind, site.Text.Src()[heir.NameEnd:site.Start]) {
		return nil
	}
	if member == "" {
		x.found.add(Found{site.Text, site.Facts, heir})
		return nil
	}
	for _, other := range site.Facts.Defs {
		if other.Name == member && other.Container == heir.Qualified() {
			x.found.add(Found{site.Text, site.Facts, other})
		}
	}
	return nil
}

// inBlock adds the type that an impl of a trait is for, whose name stands at an offset, or the member of a name in that block.
func (x *heirs) inBlock(site Site, name int, member string) error {
	if member != "" {
		block := x.block(site)
		for _, d := range site.Facts.Defs {
			if d.Name == member && block.Start <= d.Start && d.End <= block.End {
				x.found.add(Found{site.Text, site.Facts, d})
			}
		}
		return nil
	}
	m, err := x.ws.means(x.ctx, x.snap, site.Text, name)
	if err != nil || m == nil || m.Tier == wire.TierName {
		return err
	}
	for _, d := range m.Definitions {
		if d.Facts != nil && isType(d.Def.Kind) {
			x.found.add(d)
		}
	}
	return nil
}

// inherits says whether a name is that of a base: between is what stands before it, from the name of the type on. Not one
// is a name in the arguments of another type, a keyword argument, what is permitted, or what a condition asks for.
func inherits(language string, kind index.Kind, between []byte) bool {
	outside, depth := outsideBrackets(between)
	words := strings.FieldsFunc(outside, func(r rune) bool { return strings.ContainsRune(" \t\r\n,&", r) })
	last := ""
	for _, w := range words {
		switch w {
		case "extends", "implements", "permits", "where":
			last = w
		}
	}
	switch language {
	case "python":
		inner := between[max(bytes.IndexByte(between, '('), 0):]
		_, depth = outsideBrackets(inner[min(1, len(inner)):])
		return len(inner) > 0 && depth == 0 && !bytes.HasSuffix(bytes.TrimRight(inner, " \t\r\n"), []byte("="))
	case "java", "javascript", "typescript", "tsx", "jsx", "vue", "svelte":
		return depth == 0 && (last == "extends" || last == "implements")
	case "rust":
		return depth == 0 && kind == index.Trait && strings.Contains(outside, ":") && last == ""
	case "cpp":
		return depth == 0 && kind != index.Enum && strings.Contains(outside, ":")
	}
	return depth == 0 && kind != index.Type && language != "c" && language != "go"
}

// outsideBrackets is text without what stands in brackets, and how many are open at its end.
func outsideBrackets(text []byte) (string, int) {
	var b strings.Builder
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			depth--
		case '>':
			if i == 0 || text[i-1] != '-' && text[i-1] != '=' {
				depth--
			}
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
			continue
		}
		b.WriteByte(' ')
	}
	return b.String(), depth
}

// implOf is where the name of the type stands that an impl is for whose trait a site names.
func implOf(site Site) (name int, ok bool) {
	src := site.Text.Src()
	before := strings.TrimRight(string(src[max(0, site.Start-1024):site.Start]), " \t\r\n")
	for strings.HasSuffix(before, "::") { // crate::a::Trait
		before = strings.TrimRight(strings.TrimSuffix(before, "::"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	}
	before = strings.TrimRight(before, " \t\r\n")
	if strings.HasSuffix(before, ">") {
		before = strings.TrimRight(before[:openAngle(before)], " \t\r\n")
	}
	start, ok := strings.CutSuffix(before, "impl")
	if !ok || start != "" && strings.TrimRight(start, " \t\r\n;{}]") == start {
		return 0, false
	}
	rest := src[site.End:]
	at := pastAngles(rest)
	words := bytes.TrimLeft(rest[at:], " \t\r\n")
	if !bytes.HasPrefix(words, []byte("for ")) {
		return 0, false
	}
	at = len(rest) - len(words) + len("for ")
	for { // the last name of a path: &'a mut a::b::Type<T>
		n := 0
		for at+n < len(rest) && index.IsWord(rest[at+n]) {
			n++
		}
		after := rest[min(at+n, len(rest)):]
		switch word := string(rest[at : at+n]); {
		case n == 0 && len(after) > 0 && strings.IndexByte("& \t\r\n", after[0]) >= 0:
			at++
		case n == 0 && len(after) > 0 && after[0] == '\'': // a lifetime
			for at++; at < len(rest) && index.IsWord(rest[at]); at++ {
			}
		case n == 0:
			return 0, false
		case word == "mut" || word == "dyn":
			at += n
		case bytes.HasPrefix(after, []byte("::")):
			at += n + 2
		default:
			return site.End + at, true
		}
	}
}

// openAngle is where the < stands that the > at the end of text closes; 0 when there is none.
func openAngle(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == '>' && (i == 0 || text[i-1] != '-'):
			depth++
		case text[i] == '<':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// pastAngles is where the type arguments end that text begins with; 0 when it begins with none.
func pastAngles(text []byte) int {
	depth := 0
	for i, c := range text {
		switch {
		case c == '<':
			depth++
		case c == '>' && (i == 0 || text[i-1] != '-'):
			depth--
		}
		if depth == 0 {
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// block is the impl around a site.
func (x *heirs) block(site Site) index.Range {
	src := site.Text.Src()
	if x.parsed != site.Text { // sites are in the order of their files
		x.parsed, x.syntax = site.Text, index.ReadSyntax(site.Text.Path, src)
	}
	if x.syntax == nil {
		return index.Range{}
	}
	for _, r := range x.syntax.Around(site.Start) {
		if text := src[r.Start:r.End]; bytes.HasPrefix(text, []byte("impl")) || bytes.HasPrefix(text, []byte("unsafe impl")) {
			return r
		}
	}
	return index.Range{}
}
