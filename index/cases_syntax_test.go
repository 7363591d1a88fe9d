package index

// syntaxCases are those about what grammars can read. Some constructs are younger than the grammars; their
// errors are part of what is wanted, and what they define is found all the same.
var syntaxCases = []definitionsCase{
	// JSX and casts in angle brackets exclude each other: .tsx reads the one, .ts the other.
	{"M13", `
-- jsx.tsx --
export function View(p: Props) {
  return <List<Item> items={p.items}>{(x) => <li key={x}>{x as string}</li>}</List>;
}
const last = 1;
-- want --
function View 1:3
constant last 4:4
-- cast.ts --
function cast(x: unknown) {
  const y = <Foo<Bar>>x;
  return <any>y;
}
const generic = <T>(x: T) => <T>x;
const last = <const>["a"];
-- want --
function cast 1:4
function generic 5:5
constant last 6:6
-- jsx.jsx --
function View(p) {
  return <><li key={1}>text &amp; {p.x}</li></>;
}
const last = 1;
-- want --
function View 1:3
constant last 4:4
`},
	// New syntax: what it defines is found, or the file says where it could not be read.
	{"P17", `
-- new.py --
type Vector[T] = list[T]

def k[T: int](a: T) -> T:
    return a

class Box[T, *Ts, **P]:
    def get(self) -> T: ...

def m(x):
    match x:
        case {"a": [1, *rest]} if rest:
            pass
        case Point(x=0) | None:
            pass

def g():
    try:
        pass
    except* ValueError as e:
        print(f"{x["a"]!r:>{w}}")

def t():
    return t"hello {name}"

def p(a, /, b, *, c): pass

async def d[T = int]():
    async with (a() as b, c() as d):
        return (y := 1)

def last(): pass
-- want --
error 23
error 27
type Vector 1:1
function k 3:4
class Box 6:7
method Box.get 7:7
function m 9:14
function g 16:20
function t 22:23
function p 25:25
function d 27:29
function last 31:31
-- new.ts --
const config = { a: 1 } satisfies Config;
function res() {
  using x = open();
  return x;
}
async function ares() {
  await using y = open();
}
function only<const T extends readonly unknown[]>(x: T): T { return x; }
class A {
  accessor x = 1;
  static { init(); }
  #secret = 2;
  has(o: object) { return #secret in o; }
  declare y: string;
  override m(): void {}
}
type Getters<T> = { [K in keyof T as ` + "`get${K & string}`" + `]: () => T[K] };
interface V<in out T> { get(): T }
import data from "./d.json" with { type: "json" };
export type * from "./x";
enum E { A = "a" }
abstract class B { abstract get z(): number; }
let u: unique symbol;
function asserts(x: unknown): asserts x is string {}
function last() {}
-- want --
error 19
error 21
constant config 1:1
property config.a 1:1
function res 2:5
function ares 6:8
function only 9:9
class A 10:17
field A.x 11:11
field A.#secret 13:13
method A.has 14:14
field A.y 15:15
method A.m 16:16
type Getters 18:18
interface V 19:19
method V.get 19:19
enum E 22:22
enumerator E.A 22:22
class B 23:23
method B.z 23:23
variable u 24:24
function asserts 25:25
function last 26:26
-- new.tsx --
const C = <T,>(p: P<T>) => <Foo<T> {...p} />;
export const D = memo(function Inner() { return <></>; });
const z = { a: 1 } satisfies Config;
function last() { return <a.b.C x={1}>t</a.b.C>; }
-- want --
function C 1:1
constant D 2:2
function D.Inner 2:2
constant z 3:3
property z.a 3:3
function last 4:4
-- new.js --
import d from "./d.json" with { type: "json" };
class A {
  #p = 1;
  static { this.q = 1; }
  has(o) { return #p in o; }
  static async *gen() {}
}
function res() {
  using x = open();
}
const re = /[\p{L}--[a-z]]/v;
const big = 1_000n;
a ||= b ?? c?.d;
export * as ns from "x";
for await (const x of y) {}
function last() {}
-- want --
error 9
class A 2:7
field A.#p 3:3
method A.has 5:5
method A.gen 6:6
function res 8:10
constant re 11:11
constant big 12:12
function last 16:16
-- New.java --
record P(int x, int y) {
    P { if (x < 0) throw new E(); }
}
sealed interface S permits A, B {}
final class A implements S {
    int m(Object o) {
        return switch (o) {
            case P(int x, var y) when x > 0 -> 1;
            case String _ -> 2;
            default -> { yield 3; }
        };
    }
    A(int x) { check(x); super(); }
    String t = """
        text
        """;
}
non-sealed class B implements S {}
void main() { for (var x : xs) {} }
-- want --
error 13
class P 1:3
field P.x 1:1
field P.y 1:1
constructor P.P 2:2
interface S 4:4
class A 5:17
method A.m 6:12
constructor A.A 13:13
field A.t 14:16
class B 18:18
function main 19:19
-- new.go --
package p

type Seq[V any] func(yield func(V) bool)

type Set[T comparable] = map[T]struct{}

func All[T any](s []T) Seq[T] {
	return func(yield func(T) bool) {
		for i := range 10 {
			_ = i
		}
		for v := range s2 {
			if !yield(v) {
				return
			}
		}
		for range ch {
		}
	}
}

type Number interface {
	~int | ~float64
}

func Sum[M ~map[K]V, K comparable, V Number](m M) V {
	clear(m)
	return max(1, 0b1_0)
}

func last() {}
-- want --
error 5
type Seq 3:3
type Set 5:5
function All 7:20
interface Number 22:24
function Sum 26:29
function last 31:31
-- new.rs --
async fn a() -> impl Iterator<Item = u8> + use<'_> { todo!() }
fn b(x: Option<u8>) {
    let Some(y) = x else { return };
    if let Some(z) = x && z > 1 { }
}
trait T {
    async fn m(&self);
    type G<'a> where Self: 'a;
    const fn c() {}
}
fn d() { let f = async || 1; let s = c"str"; let p = &raw const x; }
unsafe extern "C" { safe fn e(); }
#[unsafe(no_mangle)]
pub extern "C" fn f() {}
fn g<const N: usize, T: for<'a> Fn(&'a u8)>() where [(); N]: {}
struct H<T = u8, const M: usize = 1>(T);
gen fn i() { yield 1; }
fn last() {}
-- want --
error 11
error 11
error 12
error 12
error 15
error 16
error 17
function a 1:1
function b 2:5
trait T 6:10
method T.m 7:7
type T.G 8:8
method T.c 9:9
function d 11:11
function e 12:12
function f 13:14 name 14
function g 15:15
struct H 16:16
function i 17:17
function last 18:18
-- new.c --
#embed "x.bin"
constexpr int a = 1'000;
auto b = nullptr;
enum c : unsigned char { C1 };
typeof(a) d;
[[nodiscard]] bool e(int) { return true; }
_BitInt(8) g;
int f(void) { static_assert(1); goto x; x: }
thread_local int h;
void v(...);
int last(void) { return 0b11; }
-- want --
error 3
error 4
error 8
variable a 2:2
enum c 4:4
enumerator c.C1 4:4
variable d 5:5
function e 6:6
variable g 7:7
function f 8:8
variable h 9:9
function v 10:10
function last 11:11
-- new.cpp --
template <class T> concept Small = requires(T t) { { t + 1 } -> std::same_as<int>; };
template <Small T> auto f(T t) requires true { return t; }
auto g(Small auto x) -> int { return 1; }
struct S {
  auto operator<=>(const S&) const = default;
  void self(this auto&& me) {}
  static int operator()(int) { return 1; }
  int operator[](int a, int b) const;
  bool operator==(const S&) const = default;
};
consteval int h() { if consteval { return 1; } return 2; }
constinit int i = 1;
generator<int> j() { co_yield 1; co_return; }
auto k = []<class T>(T x) { return x; };
auto l = [](this auto self) { };
template <class... Ts> auto n(Ts... ts) { return ts...[0]; }
enum class E { A };
void o() { using enum E; }
int last() { return 0; }
-- want --
error 11
type Small 1:1
function f 2:2
function g 3:3
struct S 4:10
method S.operator<=> 5:5
method S.self 6:6
method S.operator() 7:7
method S.operator[] 8:8
method S.operator== 9:9
function h 11:11
variable i 12:12
function j 13:13
variable k 14:14
variable l 15:15
function n 16:16
enum E 17:17
enumerator E.A 17:17
function o 18:18
function last 19:19
-- new.md --
---
title: x
---

# One

> [!NOTE]
> text

Two
---

| a | b |
|---|---|
| # | ## |

### Three {#id}

[^1]: # not one
-- want --
heading One 5:19
heading One.Two 10:19
heading One.Two.Three {#id} 17:19
`},
}
