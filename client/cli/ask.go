package cli

import (
	"bytes"
	"context"
	"encoding/json"

	"ctxd/client"
)

// ask makes the one call of a verb and prints its answer: the result object as it came, indented,
// with --json, else the text that render makes of it. A result that came as JSON keeps fields
// that this build does not know.
func ask[Result any](ctx context.Context, c *command, method string, params any, render func(*Result, *page)) error {
	var raw json.RawMessage
	if err := c.call(ctx, method, params, &raw); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(raw)
	}
	var result Result
	if err := json.Unmarshal(raw, &result); err != nil {
		return &client.ProtocolError{Problem: "result of " + method, Err: err}
	}
	var p page
	render(&result, &p)
	return c.print(p.text)
}

// call makes one call, starting the daemon if need be.
func (c *command) call(ctx context.Context, method string, params, result any) error {
	return client.Once(ctx, c.options(), method, params, result)
}

func (c *command) printJSON(v any) error {
	text, err := indented(v)
	if err != nil {
		return err
	}
	return c.print(text)
}

// indented is JSON with two spaces, its fields in the order that they came in.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	if raw, ok := v.(json.RawMessage); ok {
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		return b.Bytes(), nil
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
