package index

import (
	"strings"
	"testing"
)

func TestImportsRust(t *testing.T) {
	for statement, want := range map[string]string{
		"use a;":                     " a(a) as a(a)",
		"use a::b::C;":               " a(a); a b(b); a::b C(C) as C(C)",
		"pub use a::C as D;":         " a(a); a C(C) as D(D) exported",
		"pub(in crate::x) use a::C;": " a(a); a C(C) as C(C) exported",
		"use crate::a::{self, b::{C, D as E,},};": "crate a(a); crate a(a) as a(a); crate::a b(b); crate::a::b C(C) as C(C); crate::a::b D(D) as E(E)",
		"use super::super::x;":                    "super::super x(x) as x(x)",
		"use self::inner::*;":                     "self inner(inner); self::inner *(inner)",
		"use a::{self as _, b as _};":             " a(a);  a(a); a b(b)",
		"use ::std::fmt;":                         ":: std(std); ::std fmt(fmt) as fmt(fmt)",
		"use {a::B, c};":                          " a(a); a B(B) as B(B);  c(c) as c(c)",
		"use a /* ::no */ :: // x\n b;":           " a(a); a b(b) as b(b)",
		"use r#try::r#fn;":                        " try(try); try fn(fn) as fn(fn)",
		"extern crate serde as s;":                ":: serde(serde) as s(s)",
		"extern crate alloc;":                     ":: alloc(alloc) as alloc(alloc)",
		"extern \"C\" {}":                         "",
		"use":                                     "",
		"use ;":                                   "",
		"use {":                                   "",
		"use a::{{{":                              " a(a)",
		"use a::{}}};":                            " a(a)",
		"use ,,,;":                                "",
		"":                                        "",
		"use a::{" + strings.Repeat("{", 500):     " a(a)",
	} {
		if got := importText(statement, importsRust([]byte(statement))); got != want {
			t.Errorf("%q: %s, want %s", statement, got, want)
		}
	}
}
