package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"ctxd/client/wire"
)

// maxID is the most bytes of an id: it is kept, compared and sent back.
const maxID = 4 << 10

// message is one valid message of the peer: a request, a notification (no id), or the response to
// what it was asked.
type message struct {
	id       json.RawMessage // a string or a number, as it was sent; nil in a notification
	key      string          // equal for equal ids
	method   string
	params   json.RawMessage // an object or an array; nil when absent or null
	response bool
	result   json.RawMessage // of a response
	failure  json.RawMessage // its error; nil when it has none
	work     Work            // what is to be done for it
}

// invalid is a message that is refused, with the id to answer under (nil: null).
type invalid struct {
	id  json.RawMessage
	err *wire.Error
}

func refuse(id json.RawMessage, code int, format string, args ...any) *invalid {
	err := wire.NewError(wire.ErrorData{Error: wire.InvalidRequest, Message: fmt.Sprintf(format, args...)})
	err.Code = code
	return &invalid{id, err}
}

// parse validates one message. Names are compared exactly, unlike encoding/json does for
// structs: an "ID" is not an "id".
func parse(data []byte) (message, *invalid) {
	if !utf8.Valid(data) { // encoding/json would silently put U+FFFD into paths and names
		return message{}, refuse(nil, wire.CodeParse, "parse error: the message is not UTF-8 at byte %d", firstInvalid(data))
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) > 0 && data[0] != '{' && json.Valid(data) {
		if data[0] == '[' {
			return message{}, refuse(nil, wire.CodeInvalidRequest, "batches are not supported: send each request in its own message")
		}
		return message{}, refuse(nil, wire.CodeInvalidRequest, "a message is a JSON object, not %s", excerpt(data))
	}
	if m, plain := plainRequest(data); plain {
		return m, nil
	}
	return parseFields(data)
}

// parseFields is parse for what may be written in any way.
func parseFields(data []byte) (message, *invalid) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return message{}, refuse(nil, wire.CodeParse, "parse error: %v", err)
	}

	m := message{}
	id, hasID := fields["id"]
	if hasID {
		var ok bool
		if m.key, ok = idKey(id); ok {
			m.id = id
		}
	}
	version, method, params := fields["jsonrpc"], fields["method"], fields["params"]
	switch {
	case method == nil && (fields["result"] != nil || fields["error"] != nil):
		return message{response: true, key: m.key, result: fields["result"], failure: fields["error"]}, nil
	case hasID && m.id == nil:
		return m, refuse(nil, wire.CodeInvalidRequest, "an id is a string or a number of at most %d bytes, not %s", maxID, excerpt(id))
	case string(version) != `"2.0"`:
		return m, refuse(m.id, wire.CodeInvalidRequest, `"jsonrpc" must be "2.0"`)
	case json.Unmarshal(method, &m.method) != nil || m.method == "":
		return m, refuse(m.id, wire.CodeInvalidRequest, `"method" must be a string with at least one character`)
	}
	switch {
	case params == nil || string(params) == "null":
	case params[0] == '{' || params[0] == '[':
		m.params = params
	default:
		return m, refuse(m.id, wire.CodeInvalidRequest, `"params" must be an object or an array, not %s`, excerpt(params))
	}
	return m, nil
}

// plainRequest takes a request apart that is written as package client writes one, with params that are an object. data is
// UTF-8.
func plainRequest(data []byte) (m message, plain bool) {
	rest, plain := bytes.CutPrefix(data, []byte(`{"jsonrpc":"2.0","id":`))
	id, rest, hasMethod := bytes.Cut(rest, []byte(`,"method":"`))
	method, params, hasParams := bytes.Cut(rest, []byte(`","params":`))
	if !plain || !hasMethod || !hasParams || len(method) == 0 || len(params) < 2 || params[0] != '{' || params[len(params)-1] != '}' {
		return m, false
	}
	notDigit := func(r rune) bool { return r < '0' || r > '9' }
	if len(id) == 0 || len(id) > 18 || id[0] == '0' || bytes.ContainsFunc(id, notDigit) {
		return m, false
	}
	if bytes.ContainsFunc(method, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return m, false
	}
	if params = params[:len(params)-1]; params[len(params)-1] != '}' || !json.Valid(params) {
		return m, false
	}
	return message{id: id, key: "n" + string(id), method: string(method), params: params}, true
}

// idKey tells whether raw can be an id, and gives equal strings one key however they are escaped.
// Numbers are compared as they are written.
func idKey(raw json.RawMessage) (string, bool) {
	switch {
	case len(raw) == 0 || len(raw) > maxID:
		return "", false
	case raw[0] == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return "s" + s, true
	case raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9':
		return "n" + string(raw), true
	}
	return "", false
}

// cancelled is the key of the request that the parameters of $/cancelRequest name.
func cancelled(params json.RawMessage) (string, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return "", false
	}
	return idKey(fields["id"])
}

// encodeResult is the frame of a successful reply. The error says that result cannot be sent;
// encoding/json writes U+FFFD for what is not UTF-8.
func encodeResult(id json.RawMessage, result any) ([]byte, error) {
	b, err := wire.AppendJSON(append(open(id), `,"result":`...), result)
	if err != nil {
		return nil, err
	}
	if b = append(b, '}'); len(b) > wire.MaxFrame {
		return nil, wire.NewError(wire.ErrorData{Error: wire.FileTooLarge, Message: fmt.Sprintf(
			"the answer has %d bytes, the limit of a message is %d: ask for less at once", len(b), wire.MaxFrame)})
	}
	return wire.AppendFrame(nil, b), nil
}

// encodeError is the frame of an error reply.
func encodeError(id json.RawMessage, e *wire.Error) []byte {
	b, err := wire.AppendJSON(append(open(id), `,"error":`...), e)
	if err != nil || len(b) >= wire.MaxFrame {
		return encodeError(id, internal("the error of the request cannot be sent"))
	}
	return wire.AppendFrame(nil, append(b, '}'))
}

func open(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return append([]byte(`{"jsonrpc":"2.0","id":`), id...)
}

// asWire is the error that the peer sees. What is no *wire.Error is our own failure: its text
// goes to the log and to the peer, its type does not.
func asWire(err error, isCancelled bool) *wire.Error {
	var e *wire.Error
	switch {
	case errors.As(err, &e) && e != nil:
		if e.Code == 0 {
			return internal(e.Message)
		}
		return e
	case isCancelled:
		return &wire.Error{Code: wire.CodeCancelled, Message: "the request was cancelled"}
	}
	return internal(fmt.Sprint(err)) // Sprint survives an Error method that panics
}

func internal(text string) *wire.Error {
	return wire.NewError(wire.ErrorData{Error: wire.Internal, Message: text})
}

// excerpt shows the start of what the peer sent.
func excerpt(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return fmt.Sprintf("%.*q…", most, raw)
	}
	return string(raw)
}

func firstInvalid(b []byte) int {
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}
