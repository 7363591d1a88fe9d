package daemon

import (
	"context"
	"time"
)

// refill is how long an anchored read waits for an empty file to be filled. Nearly every program saves by
// truncating the file and then writing it: what stood in it is between the two, not lost.
var refill = 500 * time.Millisecond

// refilled is t, or what its file holds a moment later, when t is empty and was so only just now. It gives
// up at the deadline: the file is empty then, and that is the answer.
func (ws *Workspace) refilled(ctx context.Context, t *Text, deadline time.Time) *Text {
	for wait := 2 * time.Millisecond; len(t.Src()) == 0; wait = min(2*wait, 40*time.Millisecond) {
		now := time.Now()
		if age := now.UnixNano() - t.Stat.Ctime; age > int64(refill) || age < -int64(refill) || !now.Before(deadline) || !pause(ctx, wait) {
			break
		}
		later, err := ws.text(ctx, t.Path)
		if err != nil {
			break // the question stays one about t
		}
		t = later
	}
	return t
}
