package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// plainReading is a type that can be read without reflection from JSON as ctx writes it: compact, each field at most once,
// none that this build does not know. encoding/json needs 0.12 ms of a fresh process to learn the types of one ctx/def, a
// sixth of what ctx does besides starting, and 2 ms for 1,000 outcomes.
type plainReading interface {
	// ReadPlain fills the receiver, which is zero, from data, and says whether it could. If not, the receiver may
	// be anything.
	ReadPlain(data []byte) bool
}

// plainWriting is a type that can be written without reflection.
type plainWriting interface {
	// AppendPlain appends to b what encoding/json would, and says whether it could.
	AppendPlain(b []byte) ([]byte, bool)
}

// Unmarshal reads v, a pointer to a zero value, from data, which is JSON. The errors are those of encoding/json.
func Unmarshal(data []byte, v any) error {
	if p, ok := v.(plainReading); ok {
		if p.ReadPlain(data) {
			return nil
		}
		reflect.ValueOf(v).Elem().SetZero()
	}
	return json.Unmarshal(data, v)
}

// AppendJSON appends v to b as compact JSON, without the escapes for HTML, which double the length of some code. The errors
// are those of encoding/json, which writes U+FFFD for what is not UTF-8.
func AppendJSON(b []byte, v any) ([]byte, error) {
	if p, ok := v.(plainWriting); ok {
		if plain, ok := p.AppendPlain(b); ok {
			return plain, nil
		}
	}
	out := bytes.NewBuffer(b)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return b, err
	}
	return out.Bytes()[:out.Len()-1], nil // without the line feed of Encode
}
