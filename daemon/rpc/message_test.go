package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"ctxd/client/wire"
)

// FuzzParse: any bytes are a message or a refusal; the reply to either is valid JSON in one frame
// and carries the id as it was written.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`, `{"jsonrpc":"2.0","id":"\u0061\ud800","method":"m"}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"m","id":null}`, `{"jsonrpc":"2.0","id":-0.0,"method":"","params":5}`,
		`{"jsonrpc":"2.0","id":12,"method":"ctx/def","params":{"a":{}}}`, `{"jsonrpc":"2.0","id":12,"method":"m","params":{},"id":{}}`,
		`{"jsonrpc":"2.0","id":12,"method":"m","params":{} }`, "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"\xff\",\"params\":{}}",
		`{"id":5,"result":null}`, `[]`, `[1`, `nul`, "\xff", ` {"id" : 12 }`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, bad := parse(data)
		if plain, ok := plainRequest(data); ok && utf8.Valid(data) {
			if same, bad := parseFields(data); bad != nil || !reflect.DeepEqual(plain, same) {
				t.Fatalf("%+v, want %+v, %v", plain, same, bad)
			}
		}
		id := m.id
		var frame []byte
		if bad != nil {
			if id = bad.id; bad.err.Code != wire.CodeParse && bad.err.Code != wire.CodeInvalidRequest {
				t.Fatalf("code %d", bad.err.Code)
			}
			if bad.err.Code == wire.CodeInvalidRequest && !json.Valid(data) {
				t.Fatal("what is no JSON is a parse error")
			}
			frame = encodeError(id, bad.err)
		} else {
			if !m.response && m.method == "" {
				t.Fatal("a message without a method")
			}
			cancelled(m.params)
			var err error
			if frame, err = encodeResult(id, m.params); err != nil {
				t.Fatal(err)
			}
		}
		body, err := wire.ReadFrame(bufio.NewReader(bytes.NewReader(frame)))
		var reply struct{ ID json.RawMessage }
		if err != nil || json.Unmarshal(body, &reply) != nil {
			t.Fatalf("reply %q: %v", frame, err)
		}
		if id == nil {
			id = json.RawMessage("null")
		}
		if !bytes.Equal(reply.ID, id) {
			t.Fatalf("id %s came back as %s", id, reply.ID)
		}
	})
}
