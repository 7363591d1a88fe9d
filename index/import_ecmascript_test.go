package index

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var statementsECMAScript = map[string]string{
	`import "m"`:                                                 `m `,
	`import d from 'm'`:                                          `m default=d`,
	`import d, * as n from "m"`:                                  `m default=d, =n`,
	`import {} from "m"`:                                         ``,
	"import/*{x}*/{a,//b\nb as c,}from`m`":                       `m a=a, b=c`,
	`import type { A, type B as C } from "m"`:                    `m A=A, B=C`,
	`import { type as t, type as as u, type as, type } from "m"`: `m type=t, as=u, as=as, type=type`,
	`import type from "m"`:                                       `m default=type`,
	`import type from from "m"`:                                  `m default=from`,
	`import type T, { U } from "m"`:                              `m default=T, U=U`,
	`import { "a-b" as c, default as e } from "m"`:               `m a-b=c, default=e`,
	`import data from "m" with { type: "json" }`:                 `m default=data`,
	`import n = require("m")`:                                    `m =n`,
	`export * from "m"`:                                          `m *= export`,
	`export * as n from "m"`:                                     `m =n export`,
	`export type { A as B } from "m"`:                            `m A=B export`,
	`{ a, b: c, ...rest } = require("m")`:                        `m a=a, b=c`,
	`{ a = 1 } = require("m")`:                                   ``,
	`n = require("m").part`:                                      `m part=n`,
	`n = require("m").part.deep`:                                 ``,
	`n = require("m")()`:                                         ``,
	`{ a } = await import("m")`:                                  `m a=a`,
	`module.exports = require("m")`:                              `m =export= export`,
	`exports.n = require("m").a`:                                 `m a=n export`,
	"n = require(`m/${x}`)":                                      ``,
	`import { a`:                                                 ``,
	`import { a } from "m`:                                       ``,
	`import`:                                                     ``,
	`/*`:                                                         ``,
	`/*/`:                                                        ``,
}

func listImports(list []Import) string {
	var parts []string
	for _, m := range list {
		part := m.Name + "=" + m.Alias
		if m.Name == "" && m.Alias == "" {
			part = ""
		}
		if m.Export {
			part += " export"
		}
		parts = append(parts, part)
	}
	if list == nil {
		return ""
	}
	return list[0].Path + " " + strings.Join(parts, ", ")
}

func TestImportsECMAScript(t *testing.T) {
	for statement, want := range statementsECMAScript {
		if got := listImports(importsECMAScript([]byte(statement))); got != want {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
}

// FuzzImportsECMAScript: whatever the bytes, offsets lie within them and name what they say.
func FuzzImportsECMAScript(f *testing.F) {
	for statement := range statementsECMAScript {
		f.Add([]byte(statement))
	}
	f.Fuzz(func(t *testing.T, statement []byte) {
		for _, m := range importsECMAScript(statement) {
			if m.Start > m.End || int(m.End) > len(statement) || int(m.AliasStart) > len(statement) {
				t.Fatalf("%q: %+v", statement, m)
			}
			if m.Alias != "" && m.Alias != wholeModule && string(statement[m.AliasStart:int(m.AliasStart)+len(m.Alias)]) != m.Alias {
				t.Fatalf("%q: alias of %+v", statement, m)
			}
		}
	})
}

// FuzzPlainJSON: JSON stays what it was, and nothing grows or panics.
func FuzzPlainJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, 2,], /* , */ "b": "//", // c` + "\n}", `"\"`, `/*`, `,]`, `[",]"]`, "\ufeff{}", `{"a": "\\",}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		plain := plainJSON(text)
		var before, after any
		if len(plain) > len(text) {
			t.Fatalf("%q grew to %q", text, plain)
		}
		if json.Unmarshal(text, &before) == nil && (json.Unmarshal(plain, &after) != nil || fmt.Sprint(before) != fmt.Sprint(after)) {
			t.Fatalf("%q became %q", text, plain)
		}
	})
}
