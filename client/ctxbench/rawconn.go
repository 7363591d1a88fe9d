package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"ctxd/client/wire"
)

// rawConn is a bare connection to our daemon. The client's own tells nobody when a request has been
// sent; here it has, when send comes back.
type rawConn struct {
	conn net.Conn
	r    *bufio.Reader
	id   int
}

func dialRaw(ctx context.Context) (*rawConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", os.Getenv("CTX_SOCKET"))
	if err != nil {
		return nil, err
	}
	return &rawConn{conn: conn, r: bufio.NewReader(conn)}, nil
}

func (c *rawConn) close() { c.conn.Close() }

// send makes a request, and receive takes its answer; a refusal is a *wire.Error.
func (c *rawConn) send(method string, params any) error {
	c.id++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return err
	}
	_, err = c.conn.Write(wire.AppendFrame(nil, body))
	return err
}

func (c *rawConn) receive(result any) error {
	c.conn.SetReadDeadline(time.Now().Add(answerLimit))
	message, err := wire.ReadFrame(c.r)
	if err != nil {
		return err
	}
	var answer struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *wire.Error     `json:"error"`
	}
	if err := json.Unmarshal(message, &answer); err != nil {
		return err
	}
	if answer.ID != c.id {
		return fmt.Errorf("answer %d came for request %d", answer.ID, c.id)
	}
	if answer.Error != nil {
		return answer.Error
	}
	return json.Unmarshal(answer.Result, result)
}

// answerLimit bounds the wait for one answer: a daemon that hangs is a finding, not a wait.
const answerLimit = 2 * time.Minute

// unknown says whether a refusal means that nothing of that name is there.
func unknown(err error) bool {
	refused, ok := errors.AsType[*wire.Error](err)
	return ok && refused.Data != nil && refused.Data.Error == wire.NotFound
}
