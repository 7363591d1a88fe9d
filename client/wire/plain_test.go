package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// plainSeeds are answers of each type, as the daemon writes them and as others might.
var plainSeeds = []string{
	`{"target":"os.ReadFile","engine":"tree-sitter","coverage":{"files":3,"parsed":2,"unparsed":0,"pending":1,"freshness":"events"},"definitions":[{"path":"os/file.go","name":"ReadFile","container":"os","kind":"function","signature":"func ReadFile(name string) ([]byte, error)","doc":"ReadFile \"reads\" \u00e4 é","lines":[864,872],"range":{"start":{"line":863,"character":0},"end":{"line":871,"character":1}},"selectionRange":{"start":{"line":863,"character":5},"end":{"line":863,"character":13}},"bytes":[24,30],"selectionBytes":[24,29],"captured":{"snapshot":"892de13e47ae","span":"b34a0fcd32","lines":[864,872],"address":"repo:os/file.go --span b34a0fcd32"},"live":{"anchor":"6dd92ab9","lines":[864,872],"address":"repo:os/file.go --lines 864:872@6dd92ab9"},"text":["func ReadFile(name string) {","\t</b>"],"complete":true,"note":"n"}],"total":1,"next":1}`,
	`{"target":"x","engine":"","coverage":{"files":0,"parsed":0,"unparsed":0,"pending":0,"freshness":""},"definitions":[{"captured":null,"live":null,"textBase64":"/w==","pathBase64":"/w=="}],"total":-1}`,
	`{"outcomes":[{"address":"repo:m.py --lines 4:5@07407f1c","outcome":"relocated","path":"m.py","from":[4,5],"lines":[6,7],"identity":"proven","checked":"full","copies":2,"windows":3,"live":{"anchor":"07407f1c","lines":[6,7],"address":"a"}},{"address":"b","outcome":"lost","error":{"error":"anchor_stale","message":"} \" \\","suggestions":["ctx get {"],"lines":[1,2]}}]}`,
	`{"outcomes":[]}`, `{"version":"0.1.0","pid":77,"busy":-0}`, `{}`, `{"outcomes":null}`, `{"Outcomes":[]}`, `{"outcomes":[],"outcomes":[{}]}`, ` {"outcomes": [ ]}`,
	`{"outcomes":[{"copies":01}]}`, `{"outcomes":[{"copies":1e3}]}`, `{"outcomes":[{"from":[1]}]}`, `{"outcomes":[{"error":null}]}`,
	`{"total":9223372036854775807}`, `{"total":999999999999999999}`, `{"target":"\ud800"}`, "{\"target\":\"\xff\"}", "{\"target\":\"\x01\"}",
	`{"definitions":[{"live":{"anchor":"a"},"live":{"address":"b"}}]}`, `{"target":"a"}x`, `{"outcomes":[{}`,
}

// What is read without reflection is what encoding/json reads.
func FuzzReadPlain(f *testing.F) {
	for _, seed := range plainSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, of := range plainTypes {
			got, want := reflect.New(of).Interface().(plainReading), reflect.New(of).Interface()
			err := json.Unmarshal(data, want)
			if got.ReadPlain(data) {
				if err != nil {
					t.Fatalf("%T: read, and encoding/json says %v: %q", got, err, data)
				}
				if !reflect.DeepEqual(any(got), want) {
					t.Fatalf("%T: %+v, want %+v: %q", got, got, want, data)
				}
			}
			if err == nil {
				sameText(t, want)
			}
		}
	})
}

// What the daemon writes is plain: nothing falls back on encoding/json in silence.
func TestDaemonWritesPlain(t *testing.T) {
	for i, read := range []plainReading{new(DefResult), new(DefResult), new(ResolveResult), new(ResolveResult)} {
		if !read.ReadPlain([]byte(plainSeeds[i])) {
			t.Errorf("not plain: %s", plainSeeds[i])
		}
	}
	for _, of := range plainTypes { // a new field needs its case
		full := reflect.New(of)
		fill(full.Elem())
		if _, ok := full.Interface().(plainWriting).AppendPlain(nil); !ok {
			t.Errorf("%v is not written", of)
		}
		sameText(t, full.Interface())
		text, err := json.Marshal(full.Interface())
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(of).Interface().(plainReading)
		if !got.ReadPlain(text) || !reflect.DeepEqual(any(got), full.Interface()) {
			t.Errorf("%v: got %+v of %s", of, got, text)
		}
	}
}

// plainTypes are read and written without reflection.
var plainTypes = []reflect.Type{
	reflect.TypeFor[HelloParams](), reflect.TypeFor[HelloResult](), reflect.TypeFor[DefParams](), reflect.TypeFor[DefResult](),
	reflect.TypeFor[ResolveParams](), reflect.TypeFor[ResolveResult](),
}

// sameText fails when v is written, and not as encoding/json writes it.
func sameText(t *testing.T, v any) {
	t.Helper()
	got, ok := v.(plainWriting).AppendPlain([]byte("x"))
	if !ok {
		return
	}
	want := bytes.NewBufferString("x")
	e := json.NewEncoder(want)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != want.String() {
		t.Fatalf("%T: %s, want %s", v, got, want.String())
	}
}

// fill sets every field below v to something.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("s")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// What is written without reflection is what encoding/json writes, for any bytes in a string.
func FuzzAppendPlain(f *testing.F) {
	f.Add("/root", "", "os.ReadFile", true, 5)
	f.Add("/r\"\b\f\n\r\t\x1f\x7f", "d<>&", "é\u2028", false, -1)
	f.Add("\xff", "\\", "\u2029😀", false, 0)
	f.Fuzz(func(t *testing.T, a, b, c string, is bool, n int) {
		common := Common{Root: a, Dir: b, NoSync: is}
		sameText(t, &DefParams{common, c, b, is, n, n})
		sameText(t, &ResolveParams{common, []string{a, b, c}})
		sameText(t, &DefResult{Target: a, Definitions: []Definition{{Name: b, Text: []string{c, a}, Complete: is, Lines: Lines{n, n}}}})
		sameText(t, &ResolveResult{[]Outcome{{Address: a, Copies: n, Error: &ErrorData{Message: b}}}})
	})
}
