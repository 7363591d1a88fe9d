package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// face is what a method takes and gives; nil for a notification, and for ctx/echo, which gives what it takes.
type face struct{ params, result any }

var faces = map[string]face{
	wire.MethodHello:     {wire.HelloParams{}, wire.HelloResult{}},
	wire.MethodDef:       {wire.DefParams{}, wire.DefResult{}},
	wire.MethodRefs:      {wire.RefsParams{}, wire.RefsResult{}},
	wire.MethodGet:       {wire.GetParams{}, wire.GetResult{}},
	wire.MethodResolve:   {wire.ResolveParams{}, wire.ResolveResult{}},
	wire.MethodSearch:    {wire.SearchParams{}, wire.SearchResult{}},
	wire.MethodMap:       {wire.MapParams{}, wire.MapResult{}},
	wire.MethodDiag:      {wire.DiagParams{}, wire.DiagResult{}},
	wire.MethodTrust:     {wire.TrustParams{}, wire.TrustResult{}},
	wire.MethodCheck:     {wire.CheckParams{}, wire.CheckResult{}},
	wire.MethodStatus:    {wire.StatusParams{}, wire.StatusResult{}},
	wire.MethodDoctor:    {wire.DoctorParams{}, wire.DoctorResult{}},
	wire.MethodStop:      {wire.StopParams{}, wire.StopResult{}},
	wire.MethodGC:        {wire.GCParams{}, wire.GCResult{}},
	wire.MethodPin:       {wire.PinParams{}, wire.PinResult{}},
	wire.MethodSubscribe: {wire.SubscribeParams{}, wire.SubscribeResult{}},
	wire.MethodLedger:    {wire.LedgerParams{}, wire.LedgerResult{}},

	wire.MethodAnchorChanged: {nil, wire.AnchorChanged{}},
	wire.MethodEcho:          {}, wire.MethodLSP: {}, wire.MethodCancel: {},
}

// word is a name in a document: `name`, or "name" in an example.
var word = regexp.MustCompile("[`\"]([A-Za-z$][A-Za-z0-9/$]*)[`\"]")

// TestProtocolDocument: docs/protocol.md names every method and error word; a row of its table has the parameters of the
// method, all of them and no others, and no result that there is not; and every field of a result is somewhere in it.
func TestProtocolDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range word.FindAllSubmatch(text, -1) {
		named[string(m[1])] = true
	}
	for _, method := range constants(t, "method.go", "Method") {
		f, known := faces[method]
		if !known {
			t.Errorf("%s: what it takes and gives is not in this test's table", method)
		}
		if !named[method] {
			t.Errorf("%s is not in the document", method)
		}
		for _, field := range fields(reflect.TypeOf(f.result), true) {
			if !named[field] {
				t.Errorf("%s: the field %s is not in the document", method, field)
			}
		}
		if f.params == nil {
			continue
		}
		cells := row(string(text), method)
		if len(cells) != 2 {
			t.Errorf("%s has no row in the table of methods", method)
			continue
		}
		want := slices.DeleteFunc(fields(reflect.TypeOf(f.params), false), func(field string) bool {
			return field == "dir" || field == "noSync" // said once, of all
		})
		if got := words(cells[0]); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: parameters %q, and the document has %q", method, want, got)
		}
		all := append(fields(reflect.TypeOf(f.result), true), "ok", "warning", "error")
		for _, name := range words(cells[1]) {
			if !slices.Contains(all, name) {
				t.Errorf("%s: %s is none of its results", method, name)
			}
		}
	}
	// Words that no answer has: edits are not made.
	spared := []string{string(wire.BatchAborted), string(wire.MaliciousContent)}
	for _, name := range constants(t, "errors.go", "") {
		if !slices.Contains(spared, name) && !strings.Contains(string(text), "| `"+name+"` | −"+strconv.Itoa(-wire.Word(name).Code())) {
			t.Errorf("the error %s is not in the document with its code %d", name, wire.Word(name).Code())
		}
	}
}

// constants are the string constants of a file of package wire whose names begin with prefix.
func constants(t *testing.T, file, prefix string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "client", "wire", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	if len(values) < 10 {
		t.Errorf("%s: only %d constants", file, len(values))
	}
	return values
}

// row is the parameters and the results of a method in the table.
func row(text, method string) []string {
	_, rest, _ := strings.Cut(text, "\n| `"+method+"` | ")
	line, _, _ := strings.Cut(rest, " |\n")
	if rest == "" {
		return nil
	}
	return strings.Split(line, " | ")
}

// words are the names in a cell, sorted.
func words(cell string) (all []string) {
	for _, m := range word.FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return all
}

// fields are the names of a type's fields in JSON, once each; deep: and those of the types within it.
func fields(t reflect.Type, deep bool) (all []string) {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return fields(t.Elem(), deep)
	case reflect.Struct:
	default:
		return nil
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			all = append(all, fields(f.Type, deep)...)
			continue
		}
		all = append(all, name)
		if deep {
			all = append(all, fields(f.Type, deep)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
