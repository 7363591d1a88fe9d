package index

import (
	"strings"
	"testing"

	"ctxd/index/internal/sitter"
)

// oddPython holds statements that are cut off, joined over lines, commented, or no statements at all.
var oddPython = []string{
	"import a", "import a.b.c, d as e", "import", "import ", "import a.", "import .a", "import a as", "import a as b,",
	"import a \\\n  . b \\\r\n as c", "from", "from .", "from . import", "from . import (", "from .a import (b # x, y\n, c as d\n)",
	"from ... import *", "from .. a . b import c as d", "from a import b,,c", "from a import b as", "from a import b as 1",
	"from a import (b, *)", "from __future__ import annotations", "import é.ü as ñ", "import a\x00b", "from a import \xff\xfe",
	"import a;import b", "from a import b if c else d", "from.import x", "from.a import(b)", "from .a.b.import c", "importa", "#", "\\", "",
}

// FuzzImportsPython: imports lie in their statement, and a name is the text at its place.
func FuzzImportsPython(f *testing.F) {
	for _, s := range oddPython {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, statement []byte) {
		for _, m := range importsPython(statement) {
			size := uint32(len(statement))
			switch {
			case m.Start > m.End || m.End > size || m.AliasStart > size:
				t.Errorf("%+v, size %d", m, size)
			case m.Path == "":
				t.Errorf("no path in %+v", m)
			case m.Name != "" && m.Name != "*" && string(statement[m.Start:m.End]) != m.Name:
				t.Errorf("name of %+v, source has %q", m, statement[m.Start:m.End])
			case m.Alias != "" && !strings.HasPrefix(string(statement[m.AliasStart:]), m.Alias):
				t.Errorf("alias of %+v, source has %q", m, statement[m.AliasStart:])
			}
		}
	})
}

// FuzzPythonText: what reads types and strings by their text stays in the text.
func FuzzPythonText(f *testing.F) {
	for _, s := range []string{
		": int", ": 'a.B' = c", ": Optional[X] = None", ": X | None", ": [", ": \"", ": '''x", "= None", "= a.B(c(')'), d)", "= B(", "= B()()",
		"= B() or C()", ": Literal['=']", ":=", "=", ":", "", "  ", ": None", ": | None", ": type[type[type[type[type[X]]]]]",
		"__all__ = ['a", "__all__ += (\"b\", # c\n 'd')", "cast(\"A", "cast('''A", "Literal[", "Union['a', Literal['b']]", "bound='T'", "\\",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		size := uint32(len(src))
		if typ, how := typingPython(src, span{End: size}); typ.Start > typ.End || typ.End > size || typ.End > typ.Start && how < rankValue {
			t.Errorf("type %+v, %d", typ, how)
		}
		for at := uint32(0); at <= min(size, 100); at++ {
			end := at
			for end < size && IsWord(src[end]) {
				end++
			}
			if q, _ := quotingPython(src, span{Start: at, End: end}, at%2 == 0); q != 0 && (q < end || q > size) {
				t.Errorf("strings behind %q hold names up to %d of %d", src[at:end], q, size)
			}
		}
		Build("a.py", src)
	})
}

// TestPythonTextIsLinear: a megabyte of names that say something of the strings behind them, in brackets that never
// close, and of heads in heads. What takes the square of it does not end within the time of a test.
func TestPythonTextIsLinear(t *testing.T) {
	for _, unit := range []string{"__all__\n", "Literal[\n", "Union[\n", "cast('''\n", "bound='\n", "lambda a="} {
		src := []byte("x = (" + strings.Repeat(unit, 1<<20/len(unit)))
		quotes := quotes{}
		var marks []sitter.Mark
		for at := 5; at < len(src); at += len(unit) {
			x := span{Start: uint32(at), End: uint32(at)}
			for IsWord(src[x.End]) {
				x.End++
			}
			if x.Start >= quotes.values {
				quotes.follow(quotingPython(src, x, x.Start < quotes.names))
			}
			marks = append(marks, sitter.Mark{Start: x.Start, End: uint32(len(src)), Tag: tagFunction},
				sitter.Mark{Start: x.Start, End: uint32(len(src)), Tag: tagHead}, sitter.Mark{Start: x.Start, End: x.End, Tag: tagName})
		}
		newBinder(languageNamed("python"), src, &File{}, marks, new(scratch)).bind(nil)
	}
}
