package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/index"
)

// hover tells what a name is defined as: signature, documentation, how sure that is, and both addresses.
func (at *moment) hover(ctx context.Context, p docPosition) (any, error) {
	f, t, offset, err := at.asked(ctx, p)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.close()
	m, err := f.ws.Means(ctx, f.path, offset)
	if m == nil || err != nil || len(m.Definitions) == 0 && !m.Outside {
		return nil, nothing(err)
	}
	origin := f.mapper(t).span(m.Start, m.End)
	plain := !slices.Contains(at.s.client.TextDocument.Hover.ContentFormat, "markdown")
	content := protocol.MarkupContent{Kind: protocol.Markdown, Value: f.explain(m, plain)}
	if plain {
		content.Kind = protocol.PlainText
	}
	return protocol.Hover{Contents: content, Range: &origin}, nil
}

// explain is the text of a hover.
func (f *file) explain(m *daemon.Meaning, plain bool) string {
	code := func(s string) string {
		if plain {
			return s
		}
		return "`" + s + "`"
	}
	if m.Outside {
		return code(m.Name) + " is bound to something outside the workspace"
	}
	found := m.Definitions
	if language := index.Language(found[0].Text.Path, found[0].Text.Src()); language == "c" || language == "cpp" {
		found = preferred(m, daemon.Found.HasBody) // elsewhere what has none is an overload, which tells more
	}
	d := found[0]
	var b strings.Builder
	signature := oneLine(d.Text.Src()[d.Def.SigStart:d.Def.SigEnd], 1000)
	language := index.Language(d.Text.Path, d.Text.Src())
	if d.Facts == nil { // a local: the line that declares it
		signature = oneLine(d.Text.Table.Line(d.Text.Table.LineAt(int(d.Def.NameStart))), 400)
	}
	if plain {
		fmt.Fprintf(&b, "%s\n", signature)
	} else {
		fmt.Fprintf(&b, "```%s\n%s\n```\n", language, signature)
	}
	if doc := docText(d.Text.Src()[d.Def.DocStart:d.Def.DocEnd]); doc != "" {
		fmt.Fprintf(&b, "\n%s\n", doc)
	}
	kind := d.Def.Kind.String()
	if d.Facts == nil {
		kind = "local"
	}
	switch {
	case m.Tier == wire.TierName && len(m.Definitions) > 1:
		fmt.Fprintf(&b, "\n%s · tier %s: the binding is not shown; one of %d definitions of the name\n", kind, code(m.Tier), len(m.Definitions))
	case m.Tier == wire.TierName:
		fmt.Fprintf(&b, "\n%s · tier %s: the binding is not shown; the only definition of the name\n", kind, code(m.Tier))
	case len(found) > 1: // build conditions, overloads
		fmt.Fprintf(&b, "\n%s · tier %s: one of %d definitions\n", kind, code(m.Tier), len(found))
	default:
		fmt.Fprintf(&b, "\n%s · tier %s\n", kind, code(m.Tier))
	}
	captured, live, note := f.ws.Mint(d.Text, f.linesOf(d.Text, int(d.Def.Start), int(d.Def.End)))
	if live != nil {
		fmt.Fprintf(&b, "\nlive: %s", code(live.Address))
	}
	if captured != nil {
		fmt.Fprintf(&b, "\n\ncaptured: %s", code(captured.Address))
	}
	if note != "" {
		fmt.Fprintf(&b, "\n\nnote: %s", note)
	}
	return b.String()
}

// oneLine is code on one line, of at most n bytes.
func oneLine(src []byte, n int) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(src[:min(len(src), 4*n)]), "\uFFFD")), " ")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// maxDoc is how many bytes of a documentation are shown.
const maxDoc = 4096

// docText is a comment or docstring without its marks.
func docText(src []byte) string {
	s := strings.ToValidUTF8(string(src[:min(len(src), maxDoc)]), "\uFFFD")
	s = strings.TrimSpace(s)
	for _, q := range []string{`"""`, `'''`} {
		s = strings.TrimSuffix(strings.TrimPrefix(s, q), q)
	}
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, "/**"), "/*"), "*/")
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"///", "//!", "//", "##", "#", "--", "*"} {
			if rest, ok := strings.CutPrefix(line, mark); ok && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
				line = strings.TrimPrefix(rest, " ")
				break
			}
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
