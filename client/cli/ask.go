package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"ctxd/client"
)

// ask makes the one call of a verb and prints its answer: the result object as it came, indented,
// with --json, which keeps fields that this build does not know; else the text that render makes
// of it.
func ask[Result any](ctx context.Context, c *command, method string, params any, render func(*Result, *page)) error {
	if c.json {
		var raw json.RawMessage
		if err := c.call(ctx, method, params, &raw); err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	var result Result
	if err := c.call(ctx, method, params, &result); err != nil {
		return err
	}
	var p page
	render(&result, &p)
	return c.print(p.text)
}

// judge is ask for an answer that is a verdict as well: what render returns is the error of the verb, errNegative or
// errRefused, after the answer has been printed.
func judge[Result any](ctx context.Context, c *command, method string, params any, render func(*Result, *page) error) error {
	var raw json.RawMessage
	if err := c.call(ctx, method, params, &raw); err != nil {
		return err
	}
	return show(c, method, raw, render)
}

// show prints an answer that is there, and returns the verdict of render.
func show[Result any](c *command, method string, raw json.RawMessage, render func(*Result, *page) error) error {
	result, err := decode[Result](method, raw)
	if err != nil {
		return err
	}
	var p page
	verdict := render(result, &p)
	if c.json {
		err = c.printJSON(raw)
	} else {
		err = c.print(p.text)
	}
	if err != nil {
		return err
	}
	return verdict
}

func decode[Result any](method string, raw json.RawMessage) (*Result, error) {
	result := new(Result)
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, &client.ProtocolError{Problem: "result of " + method, Err: err}
	}
	return result, nil
}

// call makes one call, starting the daemon if need be, and shows a long wait.
func (c *command) call(ctx context.Context, method string, params, result any) error {
	defer c.showWait(params)()
	c.greet()
	return c.daemon.Call(ctx, method, params, result)
}

// greet connects to the daemon if one is running. Before the workspace is looked for is early enough for the daemon to have
// taken the connection in when the request comes: 0.1 ms of a ctx def.
func (c *command) greet() {
	if c.daemon == nil {
		options := c.options()
		options.OnWait = func() {
			if c.onWait != nil {
				c.onWait()
			}
		}
		c.daemon = client.Alone(options)
	}
}

func (c *command) printJSON(v any) error {
	text, err := indented(v)
	if err != nil {
		return err
	}
	return c.print(text)
}

// indented is JSON with two spaces, its fields in the order that they came in, and nothing in it
// that a terminal would obey.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	if raw, ok := v.(json.RawMessage); ok {
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		return escaped(b.Bytes()), nil
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return escaped(b.Bytes()), err
}

// escaped is the same JSON with the characters that are not to reach a terminal raw as \u009b. Only
// the C0 controls have to be escaped in JSON; DEL, the C1 controls, what changes the direction of
// text and what cannot be seen do not, and come from the daemon as they are. All of them stand
// within strings, where the escape is the same character. A byte that is not UTF-8 becomes what
// every reader makes of it, U+FFFD.
func escaped(text []byte) []byte {
	var b []byte
	start := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r != 0x7f && !hidden(r) && !unicode.Is(unicode.Cf, r) && !(r == utf8.RuneError && n == 1) {
			i += n
			continue
		}
		b = append(b, text[start:i]...)
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		} else {
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		i += n
		start = i
	}
	if start == 0 {
		return text
	}
	return append(b, text[start:]...)
}
