package daemon

import (
	"container/list"
	"sync"
)

// texts caches the last files that answers cited, bounded by the bytes they hold. It is only an
// accelerator: an entry is used while the file's stat says that it is still what was read.
type texts struct {
	mu    sync.Mutex
	most  int64
	held  int64
	order *list.List // of *Text, the last used in front
	byKey map[string]*list.Element
}

func newTexts(most int64) *texts {
	return &texts{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// cost is what a text holds: its bytes and 12 bytes of table for each line.
func cost(t *Text) int64 { return int64(len(t.Src())) + 12*int64(t.Table.Len()) + 256 }

func (c *texts) get(path string) *Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[path]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*Text)
}

func (c *texts) put(path string, t *Text) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(path)
	if cost(t) > c.most {
		return
	}
	c.byKey[path] = c.order.PushFront(t)
	c.held += cost(t)
	for c.held > c.most {
		c.drop(c.order.Back().Value.(*Text).Path)
	}
}

// clear forgets everything; the memory of a big file is not kept while nobody asks.
func (c *texts) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.byKey)
	c.held = 0
}

func (c *texts) drop(path string) {
	if e := c.byKey[path]; e != nil {
		c.held -= cost(e.Value.(*Text))
		c.order.Remove(e)
		delete(c.byKey, path)
	}
}
