package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ctxd/daemon"
)

// progressAfter is how long something takes before it is worth telling, and progressEvery how often it is told then; a test
// is less patient.
var (
	progressAfter = 250 * time.Millisecond
	progressEvery = 250 * time.Millisecond
)

// progress tells the client, under the token of its request, how far the index is while the request waits for it: once for
// all workspaces that it is about, for a token has one beginning and one end. The function that it returns ends that.
func (at *moment) progress(ctx context.Context, token json.RawMessage, spaces ...*daemon.Workspace) func() {
	if len(token) == 0 || string(token) == "null" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { // ends with the request
		defer close(ended)
		at.s.report(ctx, token, func() (int, int) { return pendingIn(spaces) }, true)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// pendingIn is how many files of workspaces are not parsed yet, of how many.
func pendingIn(spaces []*daemon.Workspace) (pending, files int) {
	for _, ws := range spaces {
		p, n := ws.Pending()
		pending, files = pending+p, files+n
	}
	return pending, files
}

// report sends begin, reports and end under a token, until nothing is pending or ctx ends. Patient is who does not yet know
// whether something is: before the tree was looked at for the first time nothing seems to be.
func (s *Session) report(ctx context.Context, token json.RawMessage, left func() (pending, files int), patient bool) {
	tick := time.NewTimer(progressAfter)
	defer tick.Stop()
	began := false
	send := func(value map[string]any) {
		_ = s.peer.Notify("$/progress", map[string]any{"token": token, "value": value})
	}
	for {
		select {
		case <-ctx.Done():
			if began {
				send(map[string]any{"kind": "end"})
			}
			return
		case <-tick.C:
		}
		pending, files := left()
		switch {
		case pending == 0 && began:
			send(map[string]any{"kind": "end", "message": fmt.Sprintf("%d files", files)})
			return
		case pending == 0 && !patient:
			return
		case pending == 0:
		case !began:
			send(map[string]any{"kind": "begin", "title": "ctx: indexing", "cancellable": false, "percentage": 0})
			began = true
		default:
			send(map[string]any{"kind": "report", "message": fmt.Sprintf("%d of %d files", files-pending, files), "percentage": 100 * (files - pending) / max(files, 1)})
		}
		tick.Reset(progressEvery)
	}
}

// showIndexing shows the first index of each folder in the client's own place for that, if it has one, each under a token
// of its own: a client that says twice that it is initialized gets no token twice.
func (s *Session) showIndexing() {
	for _, f := range s.now.Load().folders {
		if f.base == nil {
			continue
		}
		s.owned.Go(func() { // ends with the index, or with the session
			ctx, cancel := context.WithCancel(s.ctx)
			defer cancel()
			_ = f.base.Sync(ctx)
			if pending, _ := f.base.Pending(); pending == 0 || !s.client.Window.WorkDoneProgress {
				return
			}
			token, _ := json.Marshal(fmt.Sprintf("ctx-index-%d", s.tokens.Add(1)))
			if s.peer.Call(ctx, "window/workDoneProgress/create", map[string]any{"token": json.RawMessage(token)}, nil) == nil {
				s.report(ctx, token, f.base.Pending, false)
			}
		})
	}
}
