package index

import (
	"bytes"
	"strings"
)

// findFirstParameters gives every use of a method's first parameter that method: it is the object, or the class, whatever
// its name. Not so of a static method, and not where the parameter is given another value.
func (b *binder) findFirstParameters() {
	methods := map[int32]int32{} // by leaf of the parameter
	b.classSelf = map[int32]bool{}
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		if d.Kind != Method && d.Kind != Constructor {
			continue
		}
		first := b.firstParameter(d)
		if first < 0 {
			continue
		}
		switch kind := methodKind(b.src[d.Start:d.SigStart], d.Name); kind {
		case "staticmethod":
			continue
		case "classmethod":
			b.classSelf[int32(i)] = true
		}
		methods[first] = int32(i)
	}
	for i := range b.leaves {
		x := &b.leaves[i]
		if x.member || x.bound < 0 {
			continue
		}
		if at := &b.bindings[x.bound]; at.kind == bindsLocal && at.last == at.leaf {
			if d, ok := methods[at.leaf]; ok {
				x.self = d
			}
		}
	}
}

// firstParameter is the leaf of the first parameter of a function; -1 when it has none.
func (b *binder) firstParameter(d *Def) int32 {
	name := b.leafAt(d.NameStart)
	if name < 0 {
		return -1
	}
	for i := name + 1; int(i) < len(b.leaves) && b.leaves[i].Start < d.End; i++ {
		between := b.src[d.NameEnd:max(d.NameEnd, b.leaves[i].Start)]
		if beginsParameters(between) {
			return i
		}
		if !bytes.HasPrefix(bytes.TrimSpace(between), []byte("[")) {
			break
		}
	}
	return -1
}

// beginsParameters says whether what stands between the name of a function and a name is what comes before its first
// parameter: a parenthesis, type parameters and one, = lambda.
func beginsParameters(between []byte) bool {
	text := strings.TrimSpace(string(between))
	if strings.HasPrefix(text, "[") {
		text = strings.TrimSpace(text[strings.LastIndexByte(text, ']')+1:])
	}
	return text == "(" || strings.HasPrefix(text, "=") && strings.TrimSpace(text[1:]) == "lambda"
}

// methodKind is staticmethod, classmethod or "", by the decorators of a method and its name.
func methodKind(decorators []byte, name string) string {
	switch name {
	case "__new__", "__init_subclass__", "__class_getitem__":
		return "classmethod"
	}
	for line := range bytes.Lines(decorators) {
		word, at := bytes.CutPrefix(bytes.TrimSpace(line), []byte("@"))
		if !at {
			continue
		}
		word = bytes.TrimSpace(word[bytes.LastIndexByte(word, '.')+1:])
		switch string(word) {
		case "staticmethod", "abstractstaticmethod":
			return "staticmethod"
		case "classmethod", "abstractclassmethod":
			return "classmethod"
		}
	}
	return ""
}

// isObject says whether leaf r stands for an object of the type in which its members are looked up, and not for that type.
func (b *binder) isObject(r int32, depth int) bool {
	x := &b.leaves[r]
	switch {
	case depth > maxChain:
		return false
	case b.isSelf(x):
		return !b.classSelf[x.self]
	case x.member || x.tag == tagMember:
		via := b.receiver(r, depth)
		_, field := b.fieldType(via.Import, join(via.Path, b.text(x)))
		return via.Root == RootFile && field
	case x.bound < 0:
		return false
	}
	switch at := &b.bindings[x.bound]; at.kind {
	case bindsLocal:
		return at.typ >= 0
	case bindsDef:
		return b.f.Defs[at.index].Kind.value()
	}
	return false
}
