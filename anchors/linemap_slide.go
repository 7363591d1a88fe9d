package anchors

// slideSteps limits the lines by which hunks are slid in all. Real files need less than 1 for each line;
// the limit is for texts made so that hunks join again and again on long ways.
func slideSteps(lines int) int { return 1<<16 + 16*lines }

// A group is changed[start:end], a maximal run of changed lines between two kept ones. Between any two
// kept lines, and before the first and behind the last, there is one, often empty, and the groups of
// both sides correspond in order.
type group struct {
	*side
	start, end int
}

// slide moves the hunks of both sides to where they read best, as git does (xdiff, and the indent
// heuristic of Michael Haggerty, 2016): a run of changed lines that begins with the line that
// follows it can as well begin one line later, and so on. It joins the runs that it meets; it stands
// beside a run of the other side if it can; else where indentation and blank lines say that a block
// begins and ends. from is a line before which nothing is changed.
func (d *differ) slide(from int) {
	left := slideSteps(d.old.Len() + d.new.Len())
	d.slideSide(&d.old, &d.new, from, &left)
	d.slideSide(&d.new, &d.old, from, &left)
}

func (d *differ) slideSide(one, other *side, from int, left *int) {
	g, o := group{one, from, from}, group{other, from, from}
	g.grow()
	o.grow()
	for {
		if g.start < g.end {
			before := *left
			g.settle(&o, left)
			if !d.budget.spend(stepCost * (before - *left)) {
				return
			}
		}
		// The empty groups up to the next changed line of either side are passed at once.
		skip := bothKept(g.changed[g.end:], o.changed[o.end:])
		if skip == 0 || !d.budget.spend(skip) {
			return // the last groups: each ends with its text
		}
		g.start, o.start = g.end+skip, o.end+skip
		g.end, o.end = g.start, o.start
		g.grow()
		o.grow()
	}
}

// grow takes the changed lines that follow.
func (g *group) grow() {
	for g.end < len(g.changed) && g.changed[g.end] != 0 {
		g.end++
	}
}

// next goes to the next group.
func (g *group) next() {
	g.start, g.end = g.end+1, g.end+1
	g.grow()
}

// previous goes to the previous group.
func (g *group) previous() {
	g.start, g.end = g.start-1, g.start-1
	for g.start > 0 && g.changed[g.start-1] != 0 {
		g.start--
	}
}

// up slides the group up by one line, if that is the same text, and joins what it meets.
func (g *group) up() bool {
	if g.start == 0 || g.word(g.start-1) != g.word(g.end-1) {
		return false
	}
	g.start, g.end = g.start-1, g.end-1
	g.changed[g.start], g.changed[g.end] = 1, 0
	for g.start > 0 && g.changed[g.start-1] != 0 {
		g.start--
	}
	return true
}

// down is up in the other direction.
func (g *group) down() bool {
	if g.end == len(g.changed) || g.word(g.start) != g.word(g.end) {
		return false
	}
	g.changed[g.start], g.changed[g.end] = 0, 1
	g.start, g.end = g.start+1, g.end+1
	g.grow()
	return true
}

// settle slides a group that is not empty to its best place. o is the corresponding group of the
// other side, and stays so. Any place it is left at is a true one.
func (g *group) settle(o *group, left *int) {
	const never = -1
	var highest, beside, lines int // ends of the group: the first possible one, one beside a run of the other side
	for {
		lines, beside = g.end-g.start, never
		for *left > 0 && g.up() {
			o.previous()
			*left--
		}
		highest = g.end
		if o.start < o.end {
			beside = g.end
		}
		for *left > 0 && g.down() {
			o.next()
			*left--
			if o.start < o.end {
				beside = g.end
			}
		}
		if g.end-g.start == lines || *left <= 0 {
			break
		}
	}
	if g.end == highest || *left <= 0 {
		return
	}
	end := beside
	if end == never {
		end = g.bestEnd(highest)
	}
	for g.end > end && g.up() {
		o.previous()
	}
}

// The weights of the indent heuristic were found by its author with an optimiser over hunks that
// people had placed by hand; they are git's.
const (
	mostIndent    = 200
	mostBlanks    = 20
	mostSlides    = 100 // places that are weighed
	weightIndent  = 60
	weightStart   = 1
	weightEnd     = 21
	weightBlank   = -30 // for each blank line around the break
	weightBehind  = 6   // for each of them that is behind it
	indentMore    = -4  // the line behind the break is indented more than that before it
	indentMoreGap = 10  // the same with blank lines between
	outdent       = 24  // it is indented less, and less than what follows it, too
	outdentGap    = 17
	dedent        = 23 // it is indented less
	dedentGap     = 17
	noLine        = -1
	tabWidth      = 8
)

// bestEnd returns the end of the group, from highest to where it is, at which the breaks at its
// start and its end score best, the last of equal ones.
func (g *group) bestEnd(highest int) int {
	lines := g.end - g.start
	first := max(highest, g.end-lines-1, g.end-mostSlides)
	best, bestIndent, bestPenalty := first, 0, 0
	for end := first; end <= g.end; end++ {
		i1, p1 := g.weigh(end)
		i2, p2 := g.weigh(end - lines)
		indent, penalty := i1+i2, p1+p2
		worse := penalty - bestPenalty
		switch {
		case indent > bestIndent:
			worse += weightIndent
		case indent < bestIndent:
			worse -= weightIndent
		}
		if end == first || worse <= 0 {
			best, bestIndent, bestPenalty = end, indent, penalty
		}
	}
	return best
}

// weigh scores a break before line i: the indentation of the block that would begin there, and a
// penalty for what speaks against one.
func (g *group) weigh(i int) (indent, penalty int) {
	at := noLine
	if i < g.Len() {
		at = g.indent(i)
	}
	before, blanksBefore := g.nearest(i, -1)
	behind, blanksBehind := g.nearest(i, +1)
	if i >= g.Len() {
		penalty += weightEnd
	}
	if before == noLine && blanksBefore == 0 {
		penalty += weightStart
	}
	if at == noLine {
		blanksBehind++
		at = behind
	} else {
		blanksBehind = 0
	}
	blanks := blanksBefore + blanksBehind
	penalty += weightBlank*blanks + weightBehind*blanksBehind
	pick := func(plain, gap int) int {
		if blanks > 0 {
			return gap
		}
		return plain
	}
	switch {
	case at == noLine || before == noLine || at == before:
	case at > before:
		penalty += pick(indentMore, indentMoreGap)
	case behind != noLine && behind > at:
		penalty += pick(outdent, outdentGap)
	default:
		penalty += pick(dedent, dedentGap)
	}
	return at, penalty
}

// nearest returns the indentation of the nearest line that is not blank, going from line i by step,
// and the number of blank lines on the way; noLine when the text ends first.
func (g *group) nearest(i, step int) (indent, blanks int) {
	for i += step; i >= 0 && i < g.Len(); i += step {
		if indent := g.indent(i); indent != noLine {
			return indent, blanks
		}
		if blanks++; blanks == mostBlanks {
			return 0, blanks
		}
	}
	return noLine, blanks
}

// indent returns the columns that line i is indented by; noLine when it is blank.
func (s *side) indent(i int) int {
	indent := 0
	for _, c := range s.Line(i + 1) {
		switch c {
		case ' ':
			indent++
		case '\t':
			indent += tabWidth - indent%tabWidth
		case '\v', '\f', '\r', '\n':
		default:
			return indent
		}
		if indent >= mostIndent {
			return mostIndent
		}
	}
	return noLine
}
