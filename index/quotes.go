package index

// quotes says which strings of a file hold names, as its nodes pass by from left to right.
type quotes struct {
	types  uint32 // end of the outermost type that is open
	names  uint32 // end of what a name before it says to hold names
	values uint32 // end of what a name before it says to hold none
}

func (q *quotes) follow(end uint32, names bool) {
	if names {
		q.names = max(q.names, end)
	} else {
		q.values = max(q.values, end)
	}
}

func (q *quotes) hold(text span) bool {
	return (text.Start < q.names || text.Start < q.types) && text.Start >= q.values
}

// addWords takes each word of a string for a leaf.
func (b *binder) addWords(text span, scope int32, types uint32) {
	tag := uint8(tagName)
	if text.Start < types {
		tag = tagType
	}
	for at := text.Start; at < text.End; at++ {
		start := at
		for at < text.End && IsWord(b.src[at]) {
			at++
		}
		if at > start && (b.src[start] < '0' || b.src[start] > '9') {
			b.leaves = append(b.leaves, leaf{span: span{Start: start, End: at}, tag: tag, scope: scope, bound: -1, typ: -1, self: -1})
		}
	}
}

// endHead notes where the head of the function or class scope ends, which a node in it shows: it is the body, or the
// last of the head.
func (b *binder) endHead(scope int32, node span, tag uint32) {
	s := &b.scopes[scope]
	if scope == 0 || s.tag == tagScope || s.body > 0 {
		return
	}
	s.body = node.Start
	if tag == tagHead {
		s.body = node.End
	}
}
