package daemon

import (
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// apps are two packages with a class of the same name, and one that is reached by every kind of detour.
var apps = map[string]string{
	"apps/a/user.ts": "export class UserService { find() {} }\nexport const one = new UserService()\none.find()\n",
	"apps/b/user.ts": "export class UserService { find() {} }\nexport const two = new UserService()\ntwo.find()\n",
	"src/mailer.ts":  "export class Mailer { send() {} }\n",
	"src/outbox.ts": "import { Mailer } from './mailer'\nexport class Outbox {\n  private mailer: Mailer\n  constructor(private other: Mailer) {}\n" +
		"  send() { this.mailer.send(); this.other.send() }\n}\nexport const box = { send() { make().send() } }\n",
	"lib/core.ts":  "export function f() {}\nexport default f\n",
	"lib/index.ts": "export { f as b } from './core'\nexport * as ns from './core'\nexport * from './core'\n",
	"lib/use.ts": "import { f as g } from './core'\nimport first, { b, ns, f } from '.'\nimport second from './core'\nimport * as core from './core'\n" +
		"g(); b(); ns.f(); core.f(); second()\nf(); const o = { f }\n",
	"lib/use.cjs": "const { f: h } = require('./core')\nconst whole = require('./core')\nh(); whole.f()\n",
}

// TestRefsECMAScript: classes of one name are told apart; a call through a field is no recursion; aliases and re-exports
// are followed; a place that is two references is one row.
// CASES R2, R3, R7.
func TestRefsECMAScript(t *testing.T) {
	ws := newWorkspace(t, apps)
	for target, want := range map[string]string{
		"repo:apps/a/user.ts:UserService.find": `
apps/a/user.ts:1:28 local declaration find in UserService
apps/a/user.ts:3:5 local call find
apps/b/user.ts:1:28 name declaration find in UserService`,
		"repo:src/mailer.ts:Mailer.send": `
src/mailer.ts:1:23 local declaration send in Mailer
src/outbox.ts:5:24 import call send in Outbox.send
src/outbox.ts:5:43 import call send in Outbox.send
src/outbox.ts:5:3 name declaration send in Outbox
src/outbox.ts:7:22 name declaration send in box
src/outbox.ts:7:38 name call send in box.send`,
		"repo:lib/core.ts:f": `
lib/core.ts:1:17 local declaration f
lib/core.ts:2:16 local import f
lib/index.ts:1:10 import import f
lib/index.ts:1:15 import import b
lib/use.cjs:1:9 import import f in h
lib/use.cjs:1:12 import declaration h
lib/use.cjs:3:1 import call h
lib/use.cjs:3:12 import call f
lib/use.ts:1:10 import import f
lib/use.ts:1:15 import import g
lib/use.ts:2:17 import import b
lib/use.ts:2:24 import import f
lib/use.ts:3:8 import import second
lib/use.ts:5:1 import call g
lib/use.ts:5:6 import call b
lib/use.ts:5:14 import call f
lib/use.ts:5:24 import call f
lib/use.ts:5:29 import call second
lib/use.ts:6:1 import call f
lib/use.ts:6:18 import read f in o`,
	} {
		got := refsOf(t, ws, wire.RefsParams{Target: target})
		want := strings.Split(strings.TrimSpace(want), "\n")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
