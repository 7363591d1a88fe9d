package client

import (
	"bytes"
	"encoding/json"
	"strconv"

	"ctxd/client/wire"
)

// answer is what came back for one request; or a notification, which has a method and no id.
type answer struct {
	result json.RawMessage
	err    *wire.Error
	method string
	params json.RawMessage
}

// failure is the answer's error as an error, nil when there is none.
func (a answer) failure() error {
	if a.err == nil {
		return nil
	}
	return a.err
}

// greeting reads the answer to hello.
func (a answer) greeting() (hello wire.HelloResult, err error) {
	if a.err != nil {
		return hello, a.err
	}
	if err := wire.Unmarshal(a.result, &hello); err != nil {
		return hello, &ProtocolError{Problem: wire.MethodHello, Err: err}
	}
	return hello, nil
}

// appendRequest appends one framed request to b, or a notification when id is 0.
func appendRequest(b []byte, id int32, method string, params []byte) []byte {
	message := make([]byte, 0, len(params)+80)
	message = append(message, `{"jsonrpc":"2.0"`...)
	if id != 0 {
		message = append(message, `,"id":`...)
		message = strconv.AppendInt(message, int64(id), 10)
	}
	message = append(message, `,"method":"`...)
	message = append(message, method...)
	message = append(message, `","params":`...)
	message = append(append(message, params...), '}')
	return wire.AppendFrame(b, message)
}

// decodeAnswer reads one message of the daemon. The id of a notification is 0.
func decodeAnswer(message []byte) (id int32, got answer, err error) {
	if id, got.result = plainResult(message); id != 0 {
		return id, got, nil
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return 0, got, &ProtocolError{Problem: "not a JSON-RPC message", Err: err}
	}
	if m.Method != "" {
		return 0, answer{method: m.Method, params: m.Params}, nil
	}
	if len(m.Error) > 0 && !bytes.Equal(m.Error, []byte("null")) {
		got.err = decodeError(m.Error)
	} else {
		got.result = m.Result
	}
	n, err := strconv.ParseInt(string(m.ID), 10, 32)
	if err != nil || n < 1 {
		// An error for a message that the daemon could not read has no id: somebody here
		// waits for that answer, and would wait for ever.
		return 0, got, &ProtocolError{Problem: "an answer without an id of ours", Err: got.failure()}
	}
	return int32(n), got, nil
}

// plainResult takes a result apart that is written as the daemon writes one; id 0: it is not. What the result is worth shows
// when it is read itself. Decoding the whole message first reads it twice more: 2 ms of the 12 that 1,000 outcomes of
// ctx/resolve took.
func plainResult(message []byte) (id int32, result json.RawMessage) {
	rest, plain := bytes.CutPrefix(message, []byte(`{"jsonrpc":"2.0","id":`))
	digits, rest, found := bytes.Cut(rest, []byte(`,"result":`))
	n, err := strconv.ParseInt(string(digits[:min(len(digits), 11)]), 10, 32)
	if !plain || !found || err != nil || n < 1 || len(digits) > 10 || len(rest) < 2 || rest[len(rest)-1] != '}' {
		return 0, nil
	}
	return int32(n), rest[:len(rest)-1]
}

// decodeError reads a JSON-RPC error; data of another shape than ours is left out.
func decodeError(raw []byte) *wire.Error {
	var full wire.Error
	if json.Unmarshal(raw, &full) == nil {
		return &full
	}
	var bare struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &bare) != nil {
		return &wire.Error{Code: wire.Internal.Code(), Message: string(raw)}
	}
	return &wire.Error{Code: bare.Code, Message: bare.Message}
}

// encode is the JSON of parameters; nil is {}.
func encode(v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	return wire.AppendJSON(nil, v)
}
