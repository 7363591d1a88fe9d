package daemon

import (
	"errors"
	"syscall"
	"time"

	"ctxd/daemon/captures"
)

// recollection is what one request knows of addresses that were given out, and what of its answers is to be remembered. That is written
// at its end, at once: a lock and a write for each of 10,000 addresses would take longer than to find them.
type recollection struct {
	captures.Lookup
	ws        *Workspace
	visits    []captures.Visit
	sightings []captures.Sighting
	stored    map[captures.BlobID]bool // the bytes of the sightings
	err       error                    // the first failure; nothing is tried after it
}

// recollection is that of a request, whose record is to be called at its end.
func (ws *Workspace) recollection() *recollection {
	return &recollection{Lookup: ws.store.Now(), ws: ws, stored: map[captures.BlobID]bool{}}
}

// visit notes that t was met, unless that is on record.
func (r *recollection) visit(t *Text) {
	v := captures.Visit{Root: r.ws.id, Path: t.Path, In: t.Blob}
	if r.err == nil && (len(r.visits) == 0 || r.visits[len(r.visits)-1] != v) && r.ws.lineages.unmet(t) {
		r.visits = append(r.visits, v)
	}
}

// see notes what was answered of an address in t.
func (r *recollection) see(t *Text, s captures.Sighting) {
	if r.err != nil || len(t.Src()) > maxCapture {
		return
	}
	if !r.stored[t.Blob] {
		if r.err = r.ws.store.PutID(t.Blob, t.Src()); r.err != nil {
			return
		}
		r.stored[t.Blob] = true
	}
	r.sightings = append(r.sightings, s)
}

// record writes down what was noted. What cannot be written is no reason not to answer; the next request finds it anew, and tries again.
func (r *recollection) record() {
	if len(r.visits) == 0 && len(r.sightings) == 0 && r.err == nil {
		return
	}
	if r.err == nil {
		r.err = r.ws.store.See(r.sightings, r.visits)
	}
	if r.err != nil {
		r.ws.unwritten(r.err)
		r.ws.lineages.unfind()
		return
	}
	for _, v := range r.visits {
		r.ws.lineages.meet(v.Path, v.In)
	}
}

// complaint is why the capture store could not be written, and when the log said so.
type complaint struct {
	cause string
	at    time.Time
}

// complainAgain is when a cause that lasts is worth another line.
const complainAgain = time.Hour

// unwritten says in the log why the capture store cannot be written, once for each cause: it would be a line for each answer. A
// write that succeeds in between does not count, as a full disk still has room for small ones.
func (ws *Workspace) unwritten(err error) {
	cause := err.Error()
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		cause = no.Error() // the text names a temporary file
	}
	now := &complaint{cause, time.Now()}
	was := ws.complaint.Load()
	if was != nil && was.cause == cause && now.at.Sub(was.at) < complainAgain {
		return
	}
	if ws.complaint.CompareAndSwap(was, now) {
		ws.log.Warn("captures: not written", "error", err)
	}
}
