package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestCases holds the reported bugs that are about which definitions a file has, and where. Each is
// tested in every language in which it can happen. The archives hold source files, each followed by
// its rows: kind, qualified name, lines of the range, and the line of the name where that is another.
func TestCases(t *testing.T) {
	for _, c := range slices.Concat(cases, nestingCases, syntaxCases) {
		t.Run(c.id, func(t *testing.T) {
			files := txtar.Parse([]byte(c.archive)).Files
			for i := 0; i+1 < len(files); i += 2 {
				src := unescape(files[i].Data)
				f := Build(files[i].Name, src)
				checkFile(t, files[i].Name, src, f)
				if diff := cmp.Diff(string(files[i+1].Data), rows(src, f)); diff != "" || files[i+1].Name != "want" {
					t.Errorf("%s (-%s +got)\n%s", files[i].Name, files[i+1].Name, diff)
				}
			}
		})
	}
}

// rows describes f, without the columns that no case is about.
func rows(src []byte, f *File) string {
	var b strings.Builder
	for _, e := range f.Errors {
		fmt.Fprintf(&b, "error %d\n", lineOf(src, e.Start))
	}
	if f.Status != Parsed {
		fmt.Fprintln(&b, f.Status)
	}
	for _, d := range f.Defs {
		first, name := lineOf(src, d.Start), lineOf(src, d.NameStart)
		fmt.Fprintf(&b, "%v %s %d:%d", d.Kind, d.Qualified(), first, lineOf(src, d.End-1))
		if name != first {
			fmt.Fprintf(&b, " name %d", name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestCaseTable: the table in testdata/README.md has every case, each test in it exists, and names the case.
func TestCaseTable(t *testing.T) {
	table, err := os.ReadFile("../testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \|.*$`).FindAllStringSubmatch(string(table), -1) {
		listed[row[1]] = true
		tests := regexp.MustCompile("`([^`:]+)(?:: (Test\\w+)(?:/(\\w+))?)?`").FindAllStringSubmatch(row[0], -1)
		if len(tests) == 0 {
			t.Errorf("%s: no test", row[1])
		}
		for _, test := range tests {
			file := "../" + test[1]
			text, err := os.ReadFile(file)
			switch {
			case err != nil:
			case test[3] == "":
				err = namesCase(string(text), test[2], row[1])
			case !strings.Contains(string(text), `"`+test[3]+`"`) || !declared(filepath.Dir(file), test[2]):
				err = errors.New("there is no such subtest")
			default:
				err = namesCase(string(text), "", row[1])
			}
			if err != nil {
				t.Errorf("%s: %s: %v", row[1], test[0], err)
			}
		}
	}
	for _, id := range strings.Fields(`E1 E2 E3 A6 A12 D1 D2 D3 D4 D6 D7 D9 D10 S1 S2 S3 A21 F23 L1 L2 L3 L4 L5 L6 L7 L11 L17 L18 L19 P1 P2 P6 P8 P9
		P12 P13 P14 P15 P16 P17 P18 P19 P20 M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13 M14 M15 M20 M21 M22`) {
		if !listed[id] {
			t.Errorf("%s is not in the table", id)
		}
	}
}

// namesCase looks for id in the text of a test file: in the test of that name with its comment, or, for a
// script and for subtests, whose table may stand beside their test, anywhere.
func namesCase(text, test, id string) error {
	if test != "" {
		text = regexp.MustCompile(`(?m)(?:^//.*\n)*^func ` + test + `\((?s:.*?)^}$`).FindString(text)
		if text == "" {
			return errors.New("there is no such test")
		}
	}
	if !regexp.MustCompile(`\b` + id + `\b`).MatchString(text) {
		return errors.New("it does not name the case")
	}
	return nil
}

// declared says whether a test of that name is declared in dir.
func declared(dir, test string) bool {
	names, _ := filepath.Glob(dir + "/*_test.go")
	return slices.ContainsFunc(names, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(text), "\nfunc "+test+"(")
	})
}

type definitionsCase struct{ id, archive string }

var cases = []definitionsCase{
	// Decorators belong to what they decorate: the range begins at the first, the name is the name, and
	// nothing decorated is lost. (C and Go have none; a Go directive is a comment.)
	{"P8", `
-- a.py --
@deco
def f(): pass

class C:
    @property
    def p(self):
        return 1

    @one
    # between
    @two(
        1,
    )
    @staticmethod
    async def s(x):
        pass

@dataclass
@other
class D:
    x: int

async def bare(): pass

if a:
    @deco
    def f1(): pass
else:
    @deco
    def f2(): pass
try:
    def f3(): pass
except E:
    @deco
    async def f4(): pass
-- want --
function f 1:2 name 2
class C 4:16
method C.p 5:7 name 6
method C.s 9:16 name 15
class D 18:21 name 20
field D.x 21:21
function bare 23:23
function f1 26:27 name 27
function f2 29:30 name 30
function f3 32:32
function f4 34:35 name 35
-- a.ts --
@Component({
  selector: "x",
})
@Other
export class A {
  @Input()
  @Output() name: string = "";
  @Get("/x")
  @Auth(
    1)
  async find(@Param() id: string) {
    return id;
  }
  @Lazy get value() { return 1; }
}
export @inner class B {}
@deco
abstract class E { @x abstract m(): void; }
-- want --
error 18
class A 1:15 name 5
field A.name 6:7 name 7
method A.find 8:13 name 11
method A.value 14:14
class B 16:16
class E 17:18 name 18
field E.m 18:18
-- a.tsx --
@observer
class V {
  @action
  render() {
    return <div/>;
  }
}
-- want --
class V 1:7 name 2
method V.render 3:6 name 4
-- a.js --
@observer
export class A {
  @action.bound
  @log("x")
  m() {}
  @tracked field = 1;
}
export default @deco class B {}
-- want --
class A 1:7 name 2
method A.m 3:5 name 5
field A.field 6:6
class B 8:8
-- A.java --
@Service
@Named("a")
public class A {
    @Inject
    private Foo foo;

    @Override
    @Deprecated(
        since = "1")
    public void run() {
    }

    @Autowired A(@NonNull Foo x) {}

    @Json enum E { @First X }
    @Data record R(@Id int id) {}
}
-- want --
class A 1:17 name 3
field A.foo 4:5 name 5
method A.run 7:11 name 10
constructor A.A 13:13
enum A.E 15:15
enumerator A.E.X 15:15
class A.R 16:16
field A.R.id 16:16
-- a.rs --
#[derive(Debug)]
#[serde(
    tag = "t",
)]
pub struct S {
    #[serde(skip)]
    x: u8,
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic]
    fn works() {
    }
}

impl S {
    #[inline]
    async fn m(&self) {}
}
-- want --
struct S 1:8 name 5
field S.x 6:7 name 7
module tests 10:16 name 11
function tests.works 12:15 name 14
method S.m 19:20 name 20
-- a.cpp --
[[nodiscard]]
int f() {
  return 1;
}
class [[deprecated("x")]] C {
  [[nodiscard]] [[gnu::pure]]
  int m() const;
};
template <class T>
[[nodiscard]]
T g(T x) {
  return x;
}
-- want --
function f 1:4 name 2
class C 5:8
method C.m 6:7 name 7
function g 9:13 name 11
-- a.c --
__attribute__((noreturn))
void die(void) {
}
[[deprecated]]
int old(void) {
  return 1;
}
-- want --
function die 1:3 name 2
function old 4:7 name 5
`},
	// A macro is not the name of what stands behind it.
	{"P14", `
-- a.cpp --
class API_EXPORT W { int m(); };
DECL(int) real_name(int x) {
  return x;
}
class API_EXPORT
Wide : public W {
  Q_OBJECT
  Q_PROPERTY(int x READ x)
public Q_SLOTS:
  void slot();
signals:
  void changed();
public:
  Q_INVOKABLE int call() NOEXCEPT { return 1; }
};
static FORCE_INLINE int quick(int x) { return x; }
EXPORT struct DEPRECATED S { int z; };
int after(void) { return 0; }
-- want --
class W 1:1
method W.m 1:1
function real_name 2:4
class Wide 5:15 name 6
method Wide.slot 10:10
method Wide.changed 12:12
method Wide.call 14:14
function quick 16:16
struct S 17:17
field S.z 17:17
function after 18:18
-- a.c --
DECL(int) real_name(int x)
{
  return x;
}
API struct PACKED s { int z; };
int WINAPI call(int a) { return a; }
static __always_inline void quick(void) {}
struct ALIGNED(8) t { int q; };
int after(void) { return 0; }
-- want --
error 7
function real_name 1:4
struct s 5:5
field s.z 5:5
function call 6:6
function quick 7:7
struct t 8:8
field t.q 8:8
function after 9:9
`},
	// The content of a .h file says whether it is C or C++ (isCPlusPlus has the rule), its neighbours do
	// not: one repository may hold both.
	{"P15", `
-- w.h --
class W {
public:
  int m();
};
-- want --
class W 1:4
method W.m 3:3
-- c.h --
struct s { int class; };
int f(struct s *this);
#ifdef __cplusplus
extern "C" {
#endif
int g(void);
#ifdef __cplusplus
}
#endif
-- want --
struct s 1:1
field s.class 1:1
function f 2:2
function g 6:6
-- t.h --
#pragma once
template <class T> struct Box {
  T get() const;
};
-- want --
struct Box 2:4
method Box.get 3:3
-- n.h --
namespace a { int f(); }
-- want --
namespace a 1:1
function a.f 1:1
`},
	// A declaration and a definition elsewhere are two rows, each with all of its own lines.
	{"P16", `
-- w.hpp --
namespace a {
class W {
  int m(int x,
        int y);
  static int n;
  struct In;
};
}
int free_one(
    int x);
-- want --
namespace a 1:8
class a.W 2:7
method a.W.m 3:4
field a.W.n 5:5
function free_one 9:10
-- w.cpp --
int a::W::m(int x,
            int y)
{
  return x;
}
int a::W::n = 1;
struct a::W::In {
  int z;
};
namespace a {
W::W() : x(1)
{
}
}
int free_one(int x)
{
  return x;
}
-- want --
method a.W.m 1:5
variable a.W.n 6:6
struct a.W.In 7:9
field a.W.In.z 8:8
namespace a 10:14
constructor a.W.W 11:13
function free_one 15:18
-- f.h --
int f(int x,
      int y);
extern int n;
struct s;
-- want --
function f 1:2
variable n 3:3
-- f.c --
int f(int x,
      int y)
{
  return x;
}
int n = 1;
struct s {
  int z;
};
-- want --
function f 1:5
variable n 6:6
struct s 7:9
field s.z 8:8
-- o.ts --
export function over(x: string): string;
export function over(
  x: number,
): number;
export function over(x: any) {
  return x;
}
declare function told(
  x: number): void;
-- want --
function over 1:1
function over 2:4
function over 5:7
function told 8:9
`},
}
