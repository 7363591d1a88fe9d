package lsp

import (
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"ctxd/daemon"
)

// gather is how long nothing must have come before diagnostics are made of what did: a keystroke is followed by another
// after 100 to 200 ms, and what it supersedes need not be parsed. Who types on is told after mostGather all the same.
const (
	gather     = 150 * time.Millisecond
	mostGather = time.Second
)

// publisher tells the client what is wrong in its open documents, without being asked: by publishDiagnostics, or, when
// the client pulls, by saying that there is something to pull.
type publisher struct {
	s       *Session
	woken   chan struct{}
	stirred atomic.Bool // something changed besides the documents, so that all are looked at again

	published map[string]*told // by document key; only run's
}

// told is what a client shows for a document.
type told struct {
	doc *document // of which that was made
	id  string    // of what is wrong; "": the client was told nothing yet
}

func newPublisher(s *Session) *publisher {
	return &publisher{s: s, woken: make(chan struct{}, 1), published: map[string]*told{}}
}

// wake has the documents looked at that changed.
func (p *publisher) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// stir has all documents looked at: files have changed.
func (p *publisher) stir() {
	p.stirred.Store(true)
	p.wake()
}

// follow stirs the publisher when something changes in a folder, until the session ends.
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
				p.stir()
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
		if !p.settled() {
			return
		}
		p.publish(p.s.now.Load(), p.stirred.Swap(false))
	}
}

// settled waits until changes have gathered; false when the session has ended.
func (p *publisher) settled() bool {
	quiet, late := time.NewTimer(gather), time.NewTimer(mostGather)
	defer quiet.Stop()
	defer late.Stop()
	for {
		select {
		case <-p.s.ctx.Done():
			return false
		case <-p.woken:
			quiet.Reset(gather)
		case <-quiet.C:
			return true
		case <-late.C:
			return true
		}
	}
}

// publish brings the client up to date. Unless all, documents are passed over that have not changed and name no other
// place.
func (p *publisher) publish(at *moment, all bool) {
	if p.s.client.TextDocument.Diagnostic != nil { // it pulls
		if all && p.s.client.Workspace.Diagnostics.RefreshSupport {
			_ = p.s.peer.Call(p.s.ctx, "workspace/diagnostic/refresh", nil, nil)
		}
		return
	}
	for _, d := range at.sortedDocs() {
		was := p.published[key(d.uri)]
		if was == nil {
			was = &told{}
			p.published[key(d.uri)] = was
		} else if was.doc == d && !all && len(daemon.Mentions(d.src)) == 0 {
			continue
		}
		items, err := at.diagnose(p.s.ctx, d.uri)
		if err != nil {
			p.s.log.Debug("diagnostics for an editor", "error", err)
			continue
		}
		id := resultID(items)
		if was.id == id || was.id == "" && len(items) == 0 || p.send(d.uri, &d.version, items) == nil {
			was.doc, was.id = d, id
		}
	}
	for k, t := range p.published {
		if at.docs[k] == nil && (t.doc == nil || p.send(t.doc.uri, nil, []protocol.Diagnostic{}) == nil) {
			delete(p.published, k)
		}
	}
}

// send fails when the client takes nothing: it is told at the next change.
func (p *publisher) send(uri string, version *int32, items []protocol.Diagnostic) error {
	params := map[string]any{"uri": uri, "diagnostics": items}
	if version != nil && p.s.client.TextDocument.PublishDiagnostics.VersionSupport {
		params["version"] = *version
	}
	return p.s.peer.Notify("textDocument/publishDiagnostics", params)
}
