package anchors

// pollEvery is the work, counted in bytes hashed, between two questions to stop: about 0.5 ms.
const pollEvery = 1 << 20

// A budget asks its owner now and then whether to go on. The nil budget never ends.
type budget struct {
	stop    func() bool // nil: never
	spent   int         // bytes since stop was last asked
	stopped bool
}

// spend accounts for work worth n hashed bytes and says whether to go on.
func (b *budget) spend(n int) bool {
	if b == nil {
		return true
	}
	b.spent += n
	return b.spent < pollEvery || b.ask()
}

func (b *budget) ask() bool {
	b.stopped = b.stopped || b.stop != nil && b.stop()
	if !b.stopped {
		b.spent = 0 // else spent stays over the mark, and every later spend says no
	}
	return !b.stopped
}
