package index

// nestingCases are those about what a definition belongs to.
var nestingCases = []definitionsCase{
	// Methods keep the type they belong to: generic receivers, another file than the type's, groups.
	{"P12", `
-- a.go --
package p

type Stack[T any] struct {
	items []T
	*Base
	io.Closer
	Generic[T]
}

type (
	Pair[K comparable, V any] struct {
		Key K
	}
	Named int
	Doer  interface {
		Do()
	}
)

var (
	one, two = 1, 2
	three    = []int{
		3,
	}
)

const (
	A = iota
	B
)
-- want --
struct Stack 3:8
field Stack.items 4:4
field Stack.Base 5:5
field Stack.Closer 6:6
field Stack.Generic 7:7
struct Pair 11:13
field Pair.Key 12:12
type Named 14:14
interface Doer 15:17
method Doer.Do 16:16
variable one 21:21
variable two 21:21
variable three 22:24
constant A 28:28
constant B 29:29
-- b.go --
package p

func (s *Stack[T]) Push(v T) {
	s.items = append(s.items, v)
}

func (Stack[_]) Len() int { return 0 }

func (p *Pair[K, V]) Swap() {}

func (n Named) String() string { return "" }
-- want --
method Stack.Push 3:5
method Stack.Len 7:7
method Pair.Swap 9:9
method Named.String 11:11
`},
	// Methods of an impl belong to the type, whatever the trait; a trait has its own declarations, with
	// a body or without.
	{"P13", `
-- a.rs --
pub trait Read<T> {
    type Out;
    fn read(&mut self) -> T;
    fn all(&mut self) -> T {
        self.read()
    }
}

impl Read<u8> for Foo {
    fn read(&mut self) -> u8 {
        1
    }
}

impl<'a, T: Clone> Read<T> for Buf<'a, T>
where
    T: Copy,
{
    type Out = T;
    fn read(&mut self) -> T { todo!() }
}

impl Read<u8> for &Foo { fn by_ref(&self) {} }
impl<'a> Read<u8> for &'a mut Foo { fn by_mut(&self) {} }
impl<T> Buf<'_, T> { fn own(&self) {} }
impl<T> From<T> for Box<dyn Read<T>> { fn from(x: T) -> Self { todo!() } }
unsafe impl<const N: usize> Read<u8> for crate::arr::Arr<N> { fn read(&mut self) -> u8 { 0 } }
impl !Send for Foo {}
-- want --
trait Read 1:7
type Read.Out 2:2
method Read.read 3:3
method Read.all 4:6
method Foo.read 10:12
type Buf.Out 19:19
method Buf.read 20:20
method Foo.by_ref 23:23
method Foo.by_mut 24:24
method Buf.own 25:25
method Box.from 26:26
method Arr.read 27:27
`},
	// What stands behind an inner type belongs to the outer one again. TestEngine/P18 takes these, and all
	// others, with other line ends.
	{"P18", `
-- a.c --
struct outer {
	int one;
	struct inner {
		int two;
	} in;
	int three;
};
int f1(void) {
	enum e { A };
	return 1;
}
int f2(void) {
	return 2;
}
-- want --
struct outer 1:7
field outer.one 2:2
field outer.in 3:5 name 5
struct outer.inner 3:5
field outer.inner.two 4:4
field outer.three 6:6
function f1 8:11
enum f1.e 9:9
enumerator f1.e.A 9:9
function f2 12:14
-- a.cpp --
namespace n {
class Outer {
public:
	void one() {
	}
	class Inner {
	private:
		void two();
	};
private:
	void three();
	enum E { A };
protected:
	int four;
};
void five() {
}
}
void six() {
}
-- want --
namespace n 1:18
class n.Outer 2:15
method n.Outer.one 4:5
class n.Outer.Inner 6:9
method n.Outer.Inner.two 8:8
method n.Outer.three 11:11
enum n.Outer.E 12:12
enumerator n.Outer.E.A 12:12
field n.Outer.four 14:14
function n.five 16:17
function six 19:20
-- a.go --
package p

type Outer struct {
	one   int
	inner struct {
		two int
	}
	three int
}

func (o *Outer) Four() {
	type Local struct {
		five int
	}
}

func (o *Outer) Six() {
}
-- want --
struct Outer 3:9
field Outer.one 4:4
field Outer.inner 5:7
field Outer.inner.two 6:6
field Outer.three 8:8
method Outer.Four 11:15
struct Outer.Four.Local 12:14
field Outer.Four.Local.five 13:13
method Outer.Six 17:18
-- A.java --
class Outer {
	void one() {
	}
	class Inner {
		private void two() {
		}
		enum E { A; void three() {} }
	}
	private void four() {
	}
	interface I {
		void five();
	}
	int six;
}
-- want --
class Outer 1:15
method Outer.one 2:3
class Outer.Inner 4:8
method Outer.Inner.two 5:6
enum Outer.Inner.E 7:7
enumerator Outer.Inner.E.A 7:7
method Outer.Inner.E.three 7:7
method Outer.four 9:10
interface Outer.I 11:13
method Outer.I.five 12:12
field Outer.six 14:14
-- a.js --
class Outer {
	one() {
	}
	static Inner = class {
		two() {
		}
	};
	#three() {
	}
	get four() {
		return class Local { five() {} };
	}
	six = 1;
}
-- want --
class Outer 1:14
method Outer.one 2:3
class Outer.Inner 4:7
method Outer.Inner.two 5:6
method Outer.#three 8:9
method Outer.four 10:12
class Outer.four.Local 11:11
method Outer.four.Local.five 11:11
field Outer.six 13:13
-- a.md --
# Outer

## Inner

### Deep

## After

text

# Second
-- want --
heading Outer 1:9
heading Outer.Inner 3:5
heading Outer.Inner.Deep 5:5
heading Outer.After 7:9
heading Second 11:11
-- a.py --
class Outer:
    def one(self):
        pass

    class Inner:
        def two(self):
            pass

    def three(self):
        class Local:
            def four(self): pass
        return Local

    def five(self):
        pass

    six = 1
-- want --
class Outer 1:17
method Outer.one 2:3
class Outer.Inner 5:7
method Outer.Inner.two 6:7
method Outer.three 9:12
class Outer.three.Local 10:11
method Outer.three.Local.four 11:11
method Outer.five 14:15
field Outer.six 17:17
-- a.rs --
mod outer {
    pub struct Inner {
        one: u8,
    }
    impl Inner {
        fn two(&self) {
            struct Local;
            impl Local { fn three(&self) {} }
        }
        fn four(&self) {
        }
    }
    fn five() {
    }
}
fn six() {
}
-- want --
module outer 1:15
struct outer.Inner 2:4
field outer.Inner.one 3:3
method outer.Inner.two 6:9
struct outer.Inner.two.Local 7:7
method outer.Inner.two.Local.three 8:8
method outer.Inner.four 10:11
function outer.five 13:14
function six 16:17
-- a.tsx --
class Outer {
	one() {
		class Local { two() { return <p/>; } }
	}
	private three() {
	}
}
namespace N {
	enum E { A }
	function four() {
	}
}
function five() {
}
-- want --
class Outer 1:7
method Outer.one 2:4
class Outer.one.Local 3:3
method Outer.one.Local.two 3:3
method Outer.three 5:6
namespace N 8:12
enum N.E 9:9
enumerator N.E.A 9:9
function N.four 10:11
function five 13:14
-- a.ts --
namespace Outer {
	export class Inner {
		private one() {
		}
		two = class { three() {} };
		private four() {
		}
	}
	enum E { A }
	export function five() {
	}
	interface I {
		six(): void;
	}
	const seven = 7;
}
-- want --
namespace Outer 1:16
class Outer.Inner 2:8
method Outer.Inner.one 3:4
class Outer.Inner.two 5:5
method Outer.Inner.two.three 5:5
method Outer.Inner.four 6:7
enum Outer.E 9:9
enumerator Outer.E.A 9:9
function Outer.five 10:11
interface Outer.I 12:14
method Outer.I.six 13:13
constant Outer.seven 15:15
`},
}
