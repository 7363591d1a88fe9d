package grep

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// program is what an automaton is made of: the instructions of one or more expressions of which any may
// match. Immutable.
//
// It works on bytes and takes all bytes from 0x80 for one: an instruction that takes any letter beyond ASCII takes
// one or more of them. So it accepts too much, never too little, and regexp decides. To split ranges of letters
// into sequences of bytes instead, as RE2 does, would make it exact, for lines that code seldom has.
type program struct {
	insts  []inst
	starts []uint32
	class  [256]uint8 // bytes that no instruction tells apart have one class
	width  int        // number of classes; the last ones are those of high bytes and of line ends
	words  []bool     // by class: its bytes make words; nil when no instruction asks
	start  bool       // some instruction asks for the start of a line
	high   bool       // it accepts too much on lines with high bytes
}

// inst is one instruction: of a kind as in package syntax, with what it takes by class.
type inst struct {
	op    syntax.InstOp
	out   uint32
	arg   uint32
	takes []bool
}

// newProgram joins programs.
func newProgram(progs ...*syntax.Prog) *program {
	p := &program{}
	var takes [][utf8.RuneSelf]bool // by instruction
	var high []bool
	for _, prog := range progs {
		base := uint32(len(p.insts))
		p.starts = append(p.starts, base+uint32(prog.Start))
		for i := range prog.Inst {
			in := &prog.Inst[i]
			next := inst{op: in.Op, out: base + in.Out, arg: in.Arg}
			var ascii [utf8.RuneSelf]bool
			beyond := false
			switch in.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				next.arg += base
			case syntax.InstEmptyWidth:
				p.start = p.start || syntax.EmptyOp(in.Arg)&lineStart != 0
				if syntax.EmptyOp(in.Arg)&boundaries != 0 && p.words == nil {
					p.words = []bool{}
				}
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				for c := range ascii {
					ascii[c] = in.MatchRune(rune(c))
				}
				beyond = takesHigh(in)
				p.high = p.high || beyond
			}
			p.insts = append(p.insts, next)
			takes, high = append(takes, ascii), append(high, beyond)
		}
	}
	p.classify(takes, high)
	return p
}

// takesHigh says whether an instruction takes any rune beyond ASCII.
func takesHigh(in *syntax.Inst) bool {
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
		return true
	}
	if in.Rune[len(in.Rune)-1] >= utf8.RuneSelf {
		return true
	}
	if len(in.Rune) == 1 && syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
		for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
			if r >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
}

// classify gives equal bytes equal classes.
func (p *program) classify(takes [][utf8.RuneSelf]bool, high []bool) {
	known := map[string]uint8{}
	column := make([]byte, len(p.insts)+1)
	for c := range utf8.RuneSelf {
		for i := range takes {
			column[i] = 0
			if takes[i][c] {
				column[i] = 1
			}
		}
		word := p.words != nil && syntax.IsWordChar(rune(c))
		if column[len(takes)] = 0; word {
			column[len(takes)] = 1
		}
		class, ok := known[string(column)]
		if !ok {
			class = uint8(len(known))
			known[string(column)] = class
			for i := range p.insts {
				p.insts[i].takes = append(p.insts[i].takes, takes[i][c])
			}
			if p.words != nil {
				p.words = append(p.words, word)
			}
		}
		p.class[c] = class
	}
	n := uint8(len(known))
	for c := utf8.RuneSelf; c < 256; c++ {
		p.class[c] = n
	}
	for i := range p.insts {
		p.insts[i].takes = append(p.insts[i].takes, high[i], false)
	}
	if p.words != nil {
		p.words = append(p.words, false, false)
	}
	p.class['\n'], p.class['\r'] = n+1, n+1
	p.width = int(n) + 2
}

// maxTable is how many bytes the states of one automaton may take before it begins anew, and maxFlushes how
// often it does that before it gives up and proposes every line.
const (
	maxTable   = 512 << 10
	maxFlushes = 20
)

// dfa runs a program: the automaton is made as far as texts lead it (Thompson 1968; a bounded cache of
// states, as in RE2). A row of the table is a state: by the class of the next byte the row of the next state,
// or one of the words below.
type dfa struct {
	p       *program
	table   []int32
	states  map[string]int32 // rows by the sets of their states
	sets    []string         // by row/width: the instructions that wait, 4 bytes each, then a byte of flags
	size    int              // of the sets, in bytes
	first   int32            // the state at a line's start
	skip    [256]bool        // bytes that lead from first to first
	flushes int

	set   []uint32 // of the state that is being made
	stack []uint32
	seen  []uint32 // by instruction: the mark of the state for which it was followed last
	mark  uint32
}

const (
	unknown  int32 = 0
	accepted int32 = -1
)

const (
	lineStart = syntax.EmptyBeginLine | syntax.EmptyBeginText
	lineEnd   = syntax.EmptyEndLine | syntax.EmptyEndText

	boundaries = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

// flags of a state, as far as its program asks.
const (
	atStart   = 1 << iota // of a line
	afterWord             // the byte before belongs to a word
)

func newDFA(p *program) *dfa {
	d := &dfa{p: p, seen: make([]uint32, len(p.insts))}
	d.reset()
	return d
}

// reset forgets all states but the first. Row 0 belongs to none, so that 0 can mean unknown.
func (d *dfa) reset() {
	d.table = make([]int32, d.p.width, 16*d.p.width)
	d.states, d.sets, d.size, d.skip = map[string]int32{}, []string{""}, 0, [256]bool{}
	d.begin()
	if d.first = accepted; !d.follow(lineStart, later, d.p.starts...) {
		d.first = d.state(d.flags(true, false))
	}
}

// find is a place on the first accepted line from a line's start on, and whether that certainly
// matches; -1: there is none, or stop said so.
func (d *dfa) find(src []byte, from int, stop func() bool) (at int, certain bool) {
	if from < len(src) && d.first == accepted {
		return from, true
	}
	end, s := uint8(d.p.width-1), d.first
	for i := from; i < len(src); {
		if d.flushes > maxFlushes {
			return i, false
		}
		for limit := min(len(src), i+stopEvery); i < limit; i++ {
			if s == d.first { // nearly always, where little matches: no look-up waits for the one before
				for i < limit && d.skip[src[i]] {
					i++
				}
				if i == limit {
					break
				}
			}
			class := d.p.class[src[i]]
			next := d.table[s+int32(class)]
			if next > 0 {
				s = next
				continue
			}
			if next == unknown {
				next = d.step(s, class)
			}
			if next == accepted {
				switch {
				case class != end:
					return i, d.certain(src[from : i+1])
				case src[i] != '\n' || i == 0 || src[i-1] != '\r':
					return i, d.certain(src[from:i])
				}
				next = d.first // between \r and \n there is no line
			}
			if s = next; d.flushes > maxFlushes {
				return i, false
			}
		}
		if stop() {
			return -1, false
		}
	}
	if n := len(src); n > from && src[n-1] != '\n' && src[n-1] != '\r' && d.ends(s) {
		return n, d.certain(src[from:])
	}
	return -1, false
}

// accepts says whether a line is accepted, and whether that is certain.
func (d *dfa) accepts(line []byte) (ok, certain bool) {
	s := d.first
	for i, b := range line {
		if s == accepted {
			return true, d.certain(line[:i])
		}
		if d.flushes > maxFlushes {
			return true, false
		}
		class := d.p.class[b]
		next := d.table[s+int32(class)]
		if next == unknown {
			next = d.step(s, class)
		}
		s = next
	}
	return s == accepted || d.ends(s), d.certain(line)
}

// certain says whether what is accepted after head, of which only the last line counts, is a match for sure.
func (d *dfa) certain(head []byte) bool {
	for i := len(head) - 1; d.p.high && i >= 0 && head[i] != '\n' && head[i] != '\r'; i-- {
		if head[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ends says whether a line that ends in state s is accepted.
func (d *dfa) ends(s int32) bool {
	end := uint8(d.p.width - 1)
	next := d.table[s+int32(end)]
	if next == unknown {
		next = d.step(s, end)
	}
	return next == accepted
}

// step makes the state that follows s.
func (d *dfa) step(s int32, class uint8) int32 {
	waiting, flags := d.decode(s)
	next, flushes := accepted, d.flushes
	if !d.advance(waiting, flags, class) {
		if next = d.first; int(class) != d.p.width-1 {
			next = d.state(d.flags(false, d.p.words != nil && d.p.words[class]))
		}
	}
	if d.flushes != flushes { // the row is gone
		return next
	}
	d.table[s+int32(class)] = next
	if s == d.first && next == s {
		for b := range d.skip {
			d.skip[b] = d.skip[b] || d.p.class[b] == class
		}
	}
	return next
}

// decode is the set of a state and its flags.
func (d *dfa) decode(s int32) (waiting []uint32, flags byte) {
	key := d.sets[int(s)/d.p.width]
	for ; len(key) > 1; key = key[4:] {
		waiting = append(waiting, binary.LittleEndian.Uint32([]byte(key[:4])))
	}
	return waiting, key[0]
}

func (d *dfa) flags(start, word bool) (flags byte) {
	if start && d.p.start {
		flags |= atStart
	}
	if word {
		flags |= afterWord
	}
	return flags
}

// later is what can only be told once the next byte is known.
const later = lineEnd | boundaries

// advance takes a byte, or the end of a line. It says whether there is a match by then, else the set is that
// of the next state.
func (d *dfa) advance(waiting []uint32, flags byte, class uint8) bool {
	end, high := int(class) == d.p.width-1, int(class) == d.p.width-2
	have := syntax.EmptyNoWordBoundary
	if d.p.words != nil && (flags&afterWord != 0) != d.p.words[class] {
		have = syntax.EmptyWordBoundary
	}
	if flags&atStart != 0 {
		have |= lineStart
	}
	if end {
		have |= lineEnd
	}
	d.begin()
	if matched := d.follow(have, 0, waiting...); matched || end {
		return matched
	}
	var next []uint32
	for _, pc := range d.set {
		in := &d.p.insts[pc]
		if !in.takes[class] {
			continue
		}
		if next = append(next, in.out); high {
			next = append(next, pc) // the letter may go on
		}
	}
	d.begin()
	return d.follow(0, later, next...) || d.follow(0, later, d.p.starts...)
}

func (d *dfa) begin() {
	d.set = d.set[:0]
	d.mark++
}

// follow adds to the set what is reached from instructions without taking a byte, where the conditions of
// have hold, and what waits for those of later. It says whether that is a match.
func (d *dfa) follow(have, later syntax.EmptyOp, pcs ...uint32) bool {
	d.stack = append(d.stack[:0], pcs...)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.mark {
			continue
		}
		d.seen[pc] = d.mark
		switch in := &d.p.insts[pc]; in.op {
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.out, in.arg)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.out)
		case syntax.InstEmptyWidth:
			switch missing := syntax.EmptyOp(in.arg) &^ have; {
			case missing == 0:
				d.stack = append(d.stack, in.out)
			case missing&^later == 0:
				d.set = append(d.set, pc)
			}
		default:
			d.set = append(d.set, pc)
		}
	}
	return false
}

// state is the row of the set at hand. Where there are too many, all are forgotten first.
func (d *dfa) state(flags byte) int32 {
	slices.Sort(d.set)
	key := make([]byte, 0, 4*len(d.set)+1)
	for _, pc := range d.set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = append(key, flags)
	if row, ok := d.states[string(key)]; ok {
		return row
	}
	if d.size+4*len(d.table) > maxTable {
		d.flushes++
		d.reset()
	}
	row := int32(len(d.table))
	set := string(key)
	d.table = append(d.table, make([]int32, d.p.width)...)
	d.states[set], d.sets, d.size = row, append(d.sets, set), d.size+2*len(set)+64
	return row
}
