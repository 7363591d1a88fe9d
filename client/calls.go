package client

import (
	"context"
	"encoding/json"

	"ctxd/client/wire"
)

// call is one typed call.
func call[Result any](ctx context.Context, c *Client, method string, params any) (*Result, error) {
	result := new(Result)
	if err := c.Call(ctx, method, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Hello asks the daemon who it is.
func (c *Client) Hello(ctx context.Context, params wire.HelloParams) (*wire.HelloResult, error) {
	return call[wire.HelloResult](ctx, c, wire.MethodHello, params)
}

// Def asks where a symbol is defined.
func (c *Client) Def(ctx context.Context, params wire.DefParams) (*wire.DefResult, error) {
	return call[wire.DefResult](ctx, c, wire.MethodDef, params)
}

// Refs asks where a symbol is used.
func (c *Client) Refs(ctx context.Context, params wire.RefsParams) (*wire.RefsResult, error) {
	return call[wire.RefsResult](ctx, c, wire.MethodRefs, params)
}

// Get reads one region. A lost anchor is a *wire.Error whose data says anchor_stale.
func (c *Client) Get(ctx context.Context, params wire.GetParams) (*wire.GetResult, error) {
	return call[wire.GetResult](ctx, c, wire.MethodGet, params)
}

// Resolve asks what became of up to 10,000 addresses.
func (c *Client) Resolve(ctx context.Context, params wire.ResolveParams) (*wire.ResolveResult, error) {
	return call[wire.ResolveResult](ctx, c, wire.MethodResolve, params)
}

// Check finds the addresses in the texts of the worktree, says what became of them, and rewrites those that moved if
// it is asked to.
func (c *Client) Check(ctx context.Context, params wire.CheckParams) (*wire.CheckResult, error) {
	return call[wire.CheckResult](ctx, c, wire.MethodCheck, params)
}

// Subscribe holds addresses: Options.OnAnchorChanged is told what becomes of them, until Options.OnEnd says that
// the connection is gone, and with it what it held.
func (c *Client) Subscribe(ctx context.Context, params wire.SubscribeParams) (*wire.SubscribeResult, error) {
	return call[wire.SubscribeResult](ctx, c, wire.MethodSubscribe, params)
}

// Ledger asks which of the addresses that were given on this connection have changed.
func (c *Client) Ledger(ctx context.Context, params wire.LedgerParams) (*wire.LedgerResult, error) {
	return call[wire.LedgerResult](ctx, c, wire.MethodLedger, params)
}

// Search lists the lines of the worktree that match patterns.
func (c *Client) Search(ctx context.Context, params wire.SearchParams) (*wire.SearchResult, error) {
	return call[wire.SearchResult](ctx, c, wire.MethodSearch, params)
}

// Map outlines a file, or lists the definitions of a folder or the worktree that matter most, in a budget.
func (c *Client) Map(ctx context.Context, params wire.MapParams) (*wire.MapResult, error) {
	return call[wire.MapResult](ctx, c, wire.MethodMap, params)
}

// Diag asks what is wrong in a file, a directory or the workspace.
func (c *Client) Diag(ctx context.Context, params wire.DiagParams) (*wire.DiagResult, error) {
	return call[wire.DiagResult](ctx, c, wire.MethodDiag, params)
}

// Trust lets the daemon run the configured checkers in a workspace, or no more.
func (c *Client) Trust(ctx context.Context, params wire.TrustParams) (*wire.TrustResult, error) {
	return call[wire.TrustResult](ctx, c, wire.MethodTrust, params)
}

// Status asks for the daemon's state.
func (c *Client) Status(ctx context.Context, params wire.StatusParams) (*wire.StatusResult, error) {
	return call[wire.StatusResult](ctx, c, wire.MethodStatus, params)
}

// Doctor asks for everything that looks wrong.
func (c *Client) Doctor(ctx context.Context, params wire.DoctorParams) (*wire.DoctorResult, error) {
	return call[wire.DoctorResult](ctx, c, wire.MethodDoctor, params)
}

// Stop asks the daemon to finish what it is doing and end.
func (c *Client) Stop(ctx context.Context, params wire.StopParams) (*wire.StopResult, error) {
	return call[wire.StopResult](ctx, c, wire.MethodStop, params)
}

// GC collects captures that nobody used for longer than the retention.
func (c *Client) GC(ctx context.Context, params wire.GCParams) (*wire.GCResult, error) {
	return call[wire.GCResult](ctx, c, wire.MethodGC, params)
}

// Pin keeps a capture for ever.
func (c *Client) Pin(ctx context.Context, params wire.PinParams) (*wire.PinResult, error) {
	return call[wire.PinResult](ctx, c, wire.MethodPin, params)
}

// Echo answers with its parameters.
func (c *Client) Echo(ctx context.Context, params any) (json.RawMessage, error) {
	var result json.RawMessage
	err := c.Call(ctx, wire.MethodEcho, params, &result)
	return result, err
}
