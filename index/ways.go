package index

// wayTable keeps one of each Via of a file, so that a use takes 24 bytes and not 48.
type wayTable struct {
	known map[Via]*way
	plain [16]*way // those without a path, by root
	last  *way
	all   []*way // to be used again
	used  int
}

// way is a Via and its number in File.refs, -1 while it has none.
type way struct {
	Via
	number int
}

func (t *wayTable) reset() { *t = wayTable{known: reused(t.known)} }

func (t *wayTable) of(v Via) *way {
	if t.last != nil && t.last.Via == v {
		return t.last
	}
	plain := v == Via{Root: v.Root}
	if plain && t.plain[v.Root] != nil {
		return t.plain[v.Root]
	}
	w, ok := t.known[v]
	if !ok {
		w = &way{v, -1}
		t.known[v] = w
	}
	if plain {
		t.plain[v.Root] = w
	}
	t.last = w
	return w
}
