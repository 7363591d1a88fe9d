package lsp

import (
	"time"

	"go.lsp.dev/protocol"
)

// gather is how long changes gather before diagnostics are made of them: a keystroke is followed by another after
// 100 to 200 ms.
const gather = 150 * time.Millisecond

// publisher tells the client what is wrong in its open documents, without being asked: by publishDiagnostics, or, when
// the client pulls, by saying that there is something to pull.
type publisher struct {
	s     *Session
	woken chan struct{}
	// published is by document key what the client was told last. Only run's.
	published map[string]told
}

// told is what a client shows for a document.
type told struct {
	uri string
	id  string
}

func newPublisher(s *Session) *publisher {
	return &publisher{s: s, woken: make(chan struct{}, 1), published: map[string]told{}}
}

func (p *publisher) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// follow wakes the publisher when something changes in a folder, until the session ends.
func (p *publisher) follow(f *folder) {
	if f.base == nil {
		return
	}
	changes, stop := f.base.Changes()
	p.s.owned.Go(func() {
		defer stop()
		for {
			select {
			case <-p.s.ctx.Done():
				return
			case <-changes:
				p.wake()
			}
		}
	})
}

func (p *publisher) start() { p.s.owned.Go(p.run) }

func (p *publisher) run() {
	for {
		select {
		case <-p.s.ctx.Done():
			return
		case <-p.woken:
		}
		quiet := time.NewTimer(gather)
		select {
		case <-p.s.ctx.Done():
			quiet.Stop()
			return
		case <-quiet.C:
		}
		select { // what came meanwhile is in the moment that is looked at now
		case <-p.woken:
		default:
		}
		p.publish(p.s.now.Load())
	}
}

// publish brings the client up to date.
func (p *publisher) publish(at *moment) {
	if p.s.client.TextDocument.Diagnostic != nil { // it pulls
		if p.s.client.Workspace.Diagnostics.RefreshSupport {
			_ = p.s.peer.Call(p.s.ctx, "workspace/diagnostic/refresh", nil, nil)
		}
		return
	}
	open := map[string]bool{}
	for _, d := range at.sortedDocs() {
		k := key(d.uri)
		open[k] = true
		items, err := at.diagnose(p.s.ctx, d.uri)
		if err != nil {
			p.s.log.Debug("diagnostics for an editor", "error", err)
			continue
		}
		id := resultID(items)
		if was, ok := p.published[k]; ok && was.id == id || !ok && len(items) == 0 {
			continue
		}
		p.published[k] = told{d.uri, id}
		p.send(d.uri, &d.version, items)
	}
	for k, t := range p.published {
		if !open[k] {
			delete(p.published, k)
			p.send(t.uri, nil, []protocol.Diagnostic{})
		}
	}
}

func (p *publisher) send(uri string, version *int32, items []protocol.Diagnostic) {
	params := map[string]any{"uri": uri, "diagnostics": items}
	if version != nil && p.s.client.TextDocument.PublishDiagnostics.VersionSupport {
		params["version"] = *version
	}
	_ = p.s.peer.Notify("textDocument/publishDiagnostics", params)
}
