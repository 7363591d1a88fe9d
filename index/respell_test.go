package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRespell: what files move, and what the lines are that change by it in which file.
func TestRespell(t *testing.T) {
	const tree = `
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
	world := newArchiveWorld(txtar.Parse([]byte(tree)))
	for _, test := range []struct {
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
c/sub/y.c: #include "c/inc/util.h"
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
	} {
		to := map[string]string{}
		for move := range strings.FieldsSeq(test.to) {
			old, fresh, _ := strings.Cut(move, "=")
			to[old] = fresh
		}
		before, after := NewResolver(world), NewResolver(Moved(world, to))
		var got []string
		for _, p := range world.paths {
			src := world.bytes[p]
			f := world.File(p)
			edits := Respellings(before, after, to, p, f, src)
			text := string(src)
			for _, e := range slices.Backward(edits) {
				text = text[:e.Start] + e.Text + text[e.End:]
			}
			was := strings.Split(string(src), "\n")
			for i, line := range strings.Split(text, "\n") {
				if line != was[i] {
					got = append(got, p+": "+line)
				}
			}
		}
		if text := strings.Join(got, "\n"); text != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.to, text, test.want)
		}
	}
}
