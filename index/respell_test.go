package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// respellTree is a small project in each language whose imports are paths.
const respellTree = `
-- web/util.ts --
import { deep } from "./lib/deep.js"
export const a = 1
-- web/main.ts --
import { a } from "./util"
export * from './util';
const s = "./util" // ./util
import type { C } from "./lib"
import "./styles.css"
-- web/other.js --
const u = require("./util")
const l = await import("./lib/index.js")
-- web/lib/index.ts --
import { a } from "../util.ts"
export class C {}
-- web/lib/deep.ts --
import { C } from "."
export const deep = C
-- web/pkg.ts --
import { a } from "util"
-- c/main.c --
#include "util.h"
#include "sub/x.h"
#include <util.h>
-- c/util.h --
#include "sub/x.h"
-- c/sub/x.h --
int x;
-- c/sub/y.c --
#include "x.h"
#include "c/util.h"
-- py/app/__init__.py --
from .core import run
-- py/app/core.py --
from app import helpers, __init__
from . import helpers as h
from app.helpers import (
    one,
)
import app.helpers
import app.helpers as ah
from .helpers import one  # from .helpers import two
-- py/app/helpers.py --
from .core import run
one = 1
-- py/main.py --
from app import helpers
import app
`

// respellCases are which files move in respellTree, and what the lines are that change by it in which file.
var respellCases = []struct {
	to   string // old=new …
	want string // file: line that changed …
}{
	{"web/util.ts=web/tools.ts", `web/lib/index.ts: import { a } from "../tools.ts"
web/main.ts: import { a } from "./tools"
web/main.ts: export * from './tools';
web/other.js: const u = require("./tools")`},
	{"web/util.ts=web/lib/util.ts", `web/lib/index.ts: import { a } from "./util.ts"
web/main.ts: import { a } from "./lib/util"
web/main.ts: export * from './lib/util';
web/other.js: const u = require("./lib/util")
web/util.ts: import { deep } from "./deep.js"`},
	{"web/util.ts=web/util.tsx", `web/lib/index.ts: import { a } from "../util.tsx"`},
	{"web/lib/index.ts=web/lib/all.ts", `web/lib/deep.ts: import { C } from "./all"
web/main.ts: import type { C } from "./lib/all"
web/other.js: const l = await import("./lib/all.js")`},
	{"web/lib/index.ts=web/libs/index.ts web/lib/deep.ts=web/libs/deep.ts", `web/main.ts: import type { C } from "./libs"
web/other.js: const l = await import("./libs/index.js")
web/util.ts: import { deep } from "./libs/deep.js"`},
	{"web/pkg.ts=web/lib/pkg.ts", ""},
	{"c/util.h=c/inc/util.h", `c/main.c: #include "inc/util.h"
c/util.h: #include "../sub/x.h"`},
	{"c/sub/x.h=c/sub/z.h", `c/main.c: #include "sub/z.h"
c/sub/y.c: #include "z.h"
c/util.h: #include "sub/z.h"`},
	{"c/main.c=main.c", `c/main.c: #include "c/util.h"
c/main.c: #include "c/sub/x.h"`},
	{"py/app/helpers.py=py/app/tools.py", `py/app/core.py: from app import tools as helpers, __init__
py/app/core.py: from . import tools as h
py/app/core.py: from app.tools import (
py/app/core.py: import app.tools as ah
py/app/core.py: from .tools import one  # from .helpers import two
py/main.py: from app import tools as helpers`},
	{"py/app/helpers.py=py/app/sub/helpers.py", `py/app/core.py: from app.sub.helpers import (
py/app/core.py: import app.sub.helpers as ah
py/app/core.py: from .sub.helpers import one  # from .helpers import two
py/app/helpers.py: from ..core import run`},
	{"py/app/helpers.py=py/app/no-name.py", ""},
	{"py/app/core.py=py/core.py", `py/app/__init__.py: from core import run
py/app/core.py: from app import helpers as h
py/app/core.py: from app.helpers import one  # from .helpers import two
py/app/helpers.py: from core import run`},
}

func TestRespell(t *testing.T) {
	world := newArchiveWorld(txtar.Parse([]byte(respellTree)))
	for _, test := range respellCases {
		to := map[string]string{}
		for move := range strings.FieldsSeq(test.to) {
			old, fresh, _ := strings.Cut(move, "=")
			to[old] = fresh
		}
		if text := respelled(world, to); text != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.to, text, test.want)
		}
	}
}

// respelled lists the lines that change when files move.
func respelled(world *archiveWorld, to map[string]string) string {
	before, after := NewResolver(world), NewResolver(Moved(world, to))
	var got []string
	for _, p := range world.paths {
		src := world.bytes[p]
		text := string(src)
		for _, e := range slices.Backward(Respellings(before, after, to, p, world.File(p), src)) {
			text = text[:e.Start] + e.Text + text[e.End:]
		}
		was := strings.Split(string(src), "\n")
		for i, line := range strings.Split(text, "\n") {
			if i >= len(was) || line != was[i] {
				got = append(got, p+": "+line)
			}
		}
	}
	return strings.Join(got, "\n")
}

// respellOneCases: one file in each tree imports another that moves, by the line; want is that line afterwards, "" where it
// stays as it is: where nothing shows what names the file under its new path.
var respellOneCases = []struct{ file, line, others, old, fresh, want string }{
	// A directory is named by the slash behind it, and by dots.
	{"m.ts", `import a from './u/'`, "u.ts u/index.ts", "u.ts", "w.ts", ""},
	{"m.ts", `import a from './u/'`, "u.ts u/index.ts", "u/index.ts", "w/index.ts", `import a from './w/'`},
	{"m.ts", `import a from './u/.'`, "u.ts u/index.ts", "u.ts", "w.ts", ""},
	{"a/b/m.ts", `import a from '..'`, "a.ts a/index.ts", "a.ts", "w.ts", ""},
	{"a/b/m.ts", `import a from '../'`, "a.ts", "a.ts", "w.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts u/index.ts", "u.ts", "w.ts", `import a from './w'`},
	// The path is edited where it is written, and nothing that looks like it.
	{"m.ts", `import {a} from './u' /* './u' */`, "u.ts", "u.ts", "w.ts", `import {a} from './w' /* './u' */`},
	{"m.ts", `import {a} /* './u' */ from /* './u' */ './u' // './u'`, "u.ts", "u.ts", "w.ts", `import {a} /* './u' */ from /* './u' */ './w' // './u'`},
	{"m.ts", `import {a} from "./u" with { type: "./u" }`, "u.ts", "u.ts", "w.ts", `import {a} from "./w" with { type: "./u" }`},
	{"m.ts", `import "./u" with { type: "./u" }`, "u.ts", "u.ts", "w.ts", `import "./w" with { type: "./u" }`},
	{"m.ts", `import {"./u" as b} from "./u"`, "u.ts", "u.ts", "w.ts", `import {"./u" as b} from "./w"`},
	{"m.ts", `export {a as "./u"} from "./u"`, "u.ts", "u.ts", "w.ts", `export {a as "./u"} from "./w"`},
	{"m.ts", `export * as "./u" from "./u"`, "u.ts", "u.ts", "w.ts", `export * as "./u" from "./w"`},
	{"m.ts", `import from from "./u"`, "u.ts", "u.ts", "w.ts", `import from from "./w"`},
	{"m.ts", `import {from} from "./u"`, "u.ts", "u.ts", "w.ts", `import {from} from "./w"`},
	{"m.ts", `import type {A} from "./u"; f("./u")`, "u.ts", "u.ts", "w.ts", `import type {A} from "./w"; f("./u")`},
	{"m.ts", `import n = require("./u") // "./u"`, "u.ts", "u.ts", "w.ts", `import n = require("./w") // "./u"`},
	{"m.js", `const u = require(/* "./u" */ "./u" /* "./u" */)`, "u.js", "u.js", "w.js", `const u = require(/* "./u" */ "./w" /* "./u" */)`},
	{"m.js", `const {a} = await import('./u')`, "u.js", "u.js", "w.js", `const {a} = await import('./w')`},
	{"m.js", `const a = require('./u').u, b = './u'`, "u.js", "u.js", "w.js", `const a = require('./w').u, b = './u'`},
	{"m.js", "const a = require(`./u`)", "u.js", "u.js", "w.js", "const a = require(`./w`)"},
	{"m.c", `#include /* "a.h" */ "a.h" // "a.h"`, "a.h", "a.h", "b.h", `#include /* "a.h" */ "b.h" // "a.h"`},
	{"m.c", `#include "a.h" /* "a.h" */`, "a.h", "a.h", "b.h", `#include "b.h" /* "a.h" */`},
	{"m.py", `from a import a # from a import a`, "a.py", "a.py", "b.py", `from b import a # from a import a`},
	{"m.py", `import a as b # a`, "a.py", "a.py", "c.py", `import c as b # a`},
	// Names that would need an escape.
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "it's.ts", ""},
	{"m.ts", `import a from "./u"`, "u.ts", "u.ts", `a"b.ts`, ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "it's/u.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", `a\nb.ts`, ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a\nb.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a\u2028b.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a\xffb.ts", ""},
	{"m.js", "const a = require(`./u`)", "u.js", "u.js", "${a}`.js", ""},
	{"m.js", "const a = require(`./u`)", "u.js", "u.js", "${a}.js", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a?b.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a%20b.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "a b é.ts", `import a from './a b é'`},
	{"m.c", `#include "u.h"`, "u.h", "u.h", `a"b.h`, ""},
	{"m.c", `#include "u.h"`, "u.h", "u.h", `a\b.h`, ""},
	{"m.c", `#include "u.h"`, "u.h", "u.h", "a\nb.h", ""},
	// Names that no import can have.
	{"m.py", `import a as x`, "a.py", "a.py", "class.py", ""},
	{"m.py", `from a import x`, "a.py", "a.py", "None.py", ""},
	{"m.py", `from a import x`, "a.py", "a.py", "import/a.py", ""},
	{"p/m.py", `from . import a`, "p/__init__.py p/a.py", "p/a.py", "p/lambda.py", ""},
	{"p/m.py", `from .a import x`, "p/__init__.py p/a.py", "p/a.py", "p/async.py", ""},
	{"m.py", `from a import x`, "a.py", "a.py", "1a.py", ""},
	{"m.py", `from a import x`, "a.py", "a.py", "ﬁ.py", ""},
	{"m.py", `from a import x`, "a.py", "a.py", "match.py", `from match import x`},
	// Extensions that are always written, and other kinds of file.
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "w.mts", `import a from './w.mjs'`},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "w.cts", `import a from './w.cjs'`},
	{"m.ts", `import a from './u.js'`, "u.ts", "u.ts", "w.mts", `import a from './w.mjs'`},
	{"m.ts", `import a from './u.js'`, "u.ts", "u.ts", "w.cts", `import a from './w.cjs'`},
	{"m.ts", `import a from './u.ts'`, "u.ts", "u.ts", "w.mts", `import a from './w.mts'`},
	{"m.ts", `import a from './u.mjs'`, "u.mts", "u.mts", "w.ts", `import a from './w.js'`},
	{"m.ts", `import a from './u.mjs'`, "u.mts", "u.mts", "w.mts", `import a from './w.mjs'`},
	{"m.ts", `import a from './u.js'`, "u.ts", "u.ts", "w.tsx", `import a from './w.js'`},
	{"m.ts", `import a from './u'`, "u/index.ts", "u/index.ts", "w/index.mts", `import a from './w/index.mjs'`},
	{"m.js", `import a from './u'`, "u.js", "u.js", "w.mjs", `import a from './w.mjs'`},
	{"m.js", `import a from './u.js'`, "u.js", "u.js", "w.ts", ""},
	{"m.ts", `import a from './u.js'`, "u.js", "u.js", "w.ts", `import a from './w.js'`},
	{"m.ts", `import a from './u.ts'`, "u.ts", "u.ts", "w.d.ts", ""},
	{"m.ts", `import a from './u'`, "u.ts", "u.ts", "w.d.ts", `import a from './w'`},
	{"m.mjs", `import a from './u.mjs'`, "u.mjs", "u.mjs", "w.js", `import a from './w.js'`},
	{"m.mjs", `import a from './u/index.js'`, "u/index.js", "u/index.js", "w/main.js", `import a from './w/main.js'`},
	// What is not beside the file that includes it may be the system's.
	{"src/m.c", `#include "time.h"`, "lib/time.h", "lib/time.h", "lib/time2.h", ""},
	{"src/m.c", `#include "sys/time.h"`, "lib/sys/time.h", "lib/sys/time.h", "lib/sys/time2.h", ""},
	{"src/m.c", `#include "u.h"`, "u.h", "u.h", "v.h", ""},
	{"src/m.c", `#include "../u.h"`, "u.h", "u.h", "v.h", `#include "../v.h"`},
	{"m.c", `#include "time.h"`, "time.h", "time.h", "inc/time.h", `#include "inc/time.h"`},
	{"src/m.c", `#include "lib/u.h"`, "lib/u.h", "src/m.c", "m.c", ""},
}

func TestRespellOne(t *testing.T) {
	for _, test := range respellOneCases {
		tree := "-- " + test.file + " --\n" + test.line + "\n"
		for name := range strings.FieldsSeq(test.others) {
			tree += "-- " + name + " --\n"
		}
		world := newArchiveWorld(txtar.Parse([]byte(tree)))
		got := respelled(world, map[string]string{test.old: test.fresh})
		if want := test.file + ": " + test.want; got != want && (got != "" || test.want != "") {
			t.Errorf("%s: %s, %s to %q: got\n%s\nwant\n%s", test.file, test.line, test.old, test.fresh, got, test.want)
		}
	}
}
