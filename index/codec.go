package index

import (
	"encoding/binary"
	"fmt"
)

// The binary form of a File, for caches. It is our own because a restart waits for it: for the 7,712
// Go files of the standard library with 382,000 definitions, gob takes 19.6 MB, 167 ms to write and
// 276 ms to read, with 2.5 million allocations; this form takes 7.3 MB, 31 ms and 30 ms (20 ms
// without the garbage collector), with 31,000. gob also checks none of the rules of Def, so a second
// pass would have to. (BenchmarkCodec; one core.)
//
//	form, status               1 byte each
//	language                   length, bytes
//	module                     length; the bytes are the first of the text
//	errors, definitions, imports  how many of each
//	each error                 start, length
//	each definition            see appendDef
//	each import                see appendImport
//	references                 length, bytes: see refs.go
//	text                       module, then in the order of use new containers and names, and what imports name
//	length of the text         4 bytes, little-endian
//
// Numbers are varints of at most 4 bytes, positions are distances from what stands before them. So
// End cannot be before Start, and little is left to be checked. The text comes last and in one piece
// because the decoded names are substrings of it, as those that Build makes are of one string.

// form is the first byte of the binary form; raise it with every change of the form.
const form = 2

// The head of a definition: its kind, and which parts are left out or added.
const (
	headKind  = 1<<5 - 1
	headDoc   = 1 << 5 // a doc comment follows
	headSame  = 1 << 6 // the container is that of the definition before
	headPlain = 1 << 7 // the signature starts where the definition does
)

// References to a container; others are 2 plus its number in the order of use.
const (
	containerNone = 0
	containerNew  = 1
)

const (
	maxVarint = 1<<28 - 1 // 4 bytes
	maxErrors = 64
	minDef    = 7 // bytes that the shortest definition takes, its name included
	minImport = 7
)

// InvalidFileError says that a File is none that Build returns, so that it has no binary form.
type InvalidFileError struct {
	Def     int // index of the definition that breaks a rule of Def; -1: the file itself is wrong
	Problem string
}

func (e *InvalidFileError) Error() string {
	if e.Def < 0 {
		return "no description made by Build: " + e.Problem
	}
	return fmt.Sprintf("no description made by Build: definition %d: %s", e.Def, e.Problem)
}

// DecodeError says that bytes are not the binary form of a File. Make it anew with Build.
type DecodeError struct {
	Offset  int // in bytes, of about where it went wrong
	Problem string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("not the binary form of a description, at byte %d: %s", e.Offset, e.Problem)
}

// AppendBinary appends the binary form of f to b. Equal files have equal forms. The error is an
// *InvalidFileError, and b is returned as it was.
func (f *File) AppendBinary(b []byte) ([]byte, error) {
	before := len(b)
	if problem := f.invalid(); problem != "" {
		return b, &InvalidFileError{-1, problem}
	}
	b = append(b, form, byte(f.Status), byte(len(f.Language)))
	b = append(b, f.Language...)
	b = binary.AppendUvarint(b, uint64(len(f.Module)))
	b = binary.AppendUvarint(b, uint64(len(f.Errors)))
	b = binary.AppendUvarint(b, uint64(len(f.Defs)))
	b = binary.AppendUvarint(b, uint64(len(f.Imports)))
	for _, e := range f.Errors {
		b = binary.AppendUvarint(b, uint64(e.Start))
		b = binary.AppendUvarint(b, uint64(e.End-e.Start))
	}
	e := encoder{b: b, text: append(make([]byte, 0, len(f.Module)+16*len(f.Defs)), f.Module...)}
	for i := range f.Defs {
		if problem := e.appendDef(&f.Defs[i]); problem != "" {
			return b[:before], &InvalidFileError{i, problem}
		}
	}
	for i := range f.Imports {
		e.appendImport(&f.Imports[i])
	}
	e.b = append(binary.AppendUvarint(e.b, uint64(len(f.refs))), f.refs...)
	if len(e.text) > maxVarint {
		return b[:before], &InvalidFileError{-1, "names without end"}
	}
	return binary.LittleEndian.AppendUint32(append(e.b, e.text...), uint32(len(e.text))), nil
}

// invalid says what is wrong with f apart from its definitions, "" when nothing is.
func (f *File) invalid() string {
	switch {
	case f.Language != "" && languageNamed(f.Language) == nil:
		return "unknown language"
	case int(f.Status) >= len(statusNames):
		return "unknown status"
	case len(f.Module) > maxVarint || len(f.Defs) > maxVarint || len(f.Imports) > maxVarint || len(f.refs) > maxVarint:
		return "too large"
	case len(f.Errors) > maxErrors:
		return "too many errors"
	}
	for _, e := range f.Errors {
		if e.Start > e.End || e.End > MaxSize {
			return "range of an error"
		}
	}
	for i := range f.Imports {
		if m := &f.Imports[i]; m.Start > m.End || m.End > MaxSize || m.AliasStart > MaxSize {
			return "range of an import"
		}
	}
	return ""
}

func languageNamed(name string) *language {
	for _, l := range languages {
		if l.name == name {
			return l
		}
	}
	return nil
}

type encoder struct {
	b, text    []byte
	start      uint32            // of the definition before
	container  string            // of the definition before
	containers map[string]uint64 // number in the order of use
}

// appendDef writes head; Start since the start before; SigStart since Start, unless headPlain;
// NameStart since Start; length of the name, of the signature, of what follows the signature; with
// headDoc how far DocEnd is before Start, signed, and the doc's length; without headSame the
// reference of the container, with containerNew its length. It says what is wrong with d, "" when
// nothing is.
func (e *encoder) appendDef(d *Def) (problem string) {
	switch {
	case d.Kind == 0 || int(d.Kind) >= len(kindNames):
		return "unknown kind"
	case d.Start < e.start || d.Start > d.NameStart || d.NameStart > d.NameEnd || d.NameEnd > d.End || d.End > MaxSize:
		return "range"
	case d.Name == "" || uint64(len(d.Name)) != uint64(d.NameEnd-d.NameStart):
		return "length of the name"
	case d.Start > d.SigStart || d.SigStart > d.SigEnd || d.SigEnd > d.End:
		return "signature"
	case d.DocStart > d.DocEnd || d.DocEnd > MaxSize || (d.DocEnd > 0) != (d.DocStart < d.DocEnd):
		return "doc comment"
	case len(d.Container) > maxVarint:
		return "container"
	}
	head := byte(d.Kind)
	if d.DocEnd > 0 {
		head |= headDoc
	}
	if d.Container == e.container {
		head |= headSame
	}
	if d.SigStart == d.Start {
		head |= headPlain
	}
	b := binary.AppendUvarint(append(e.b, head), uint64(d.Start-e.start))
	if head&headPlain == 0 {
		b = binary.AppendUvarint(b, uint64(d.SigStart-d.Start))
	}
	b = binary.AppendUvarint(b, uint64(d.NameStart-d.Start))
	b = binary.AppendUvarint(b, uint64(len(d.Name)))
	b = binary.AppendUvarint(b, uint64(d.SigEnd-d.SigStart))
	b = binary.AppendUvarint(b, uint64(d.End-d.SigEnd))
	if head&headDoc != 0 {
		before := int32(d.Start) - int32(d.DocEnd)
		b = binary.AppendUvarint(b, uint64(uint32(before<<1^before>>31)))
		b = binary.AppendUvarint(b, uint64(d.DocEnd-d.DocStart))
	}
	if head&headSame == 0 {
		b = e.appendContainer(b, d.Container)
	}
	e.b, e.text = b, append(e.text, d.Name...)
	e.start = d.Start
	return ""
}

func (e *encoder) appendContainer(b []byte, container string) []byte {
	e.container = container
	if container == "" {
		return append(b, containerNone)
	}
	if n, ok := e.containers[container]; ok {
		return binary.AppendUvarint(b, n+2)
	}
	if e.containers == nil {
		e.containers = map[string]uint64{}
	}
	e.containers[container] = uint64(len(e.containers))
	e.text = append(e.text, container...)
	return binary.AppendUvarint(append(b, containerNew), uint64(len(container)))
}

// appendImport writes 1 for Export; Start; how long it is; AliasStart; the lengths of Path, Name and Alias.
func (e *encoder) appendImport(m *Import) {
	export := byte(0)
	if m.Export {
		export = 1
	}
	b := append(e.b, export)
	for _, n := range [...]uint32{m.Start, m.End - m.Start, m.AliasStart, uint32(len(m.Path)), uint32(len(m.Name)), uint32(len(m.Alias))} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	e.b = b
	e.text = append(append(append(e.text, m.Path...), m.Name...), m.Alias...)
}

// Decode is the File with the binary form b, of which it keeps nothing. Any bytes give a File for
// which all holds that this package says of files, or a *DecodeError; never a panic, and no more
// memory than about ten times len(b). That the names are those of some source it cannot know.
func Decode(b []byte) (*File, error) {
	d := decoder{b: b}
	f := d.file()
	if d.problem != "" {
		return nil, &DecodeError{d.at, d.problem}
	}
	return f, nil
}

// decoder reads b from left to right. What it reads after the first problem means nothing.
type decoder struct {
	b          []byte
	at         int
	text       string // what is left of it
	containers []string
	problem    string
}

func (d *decoder) fail(problem string) {
	if d.problem == "" {
		d.problem = problem
	}
}

func (d *decoder) byte() byte {
	if d.at >= len(d.b) {
		d.fail("it ends early")
		return 0
	}
	d.at++
	return d.b[d.at-1]
}

// number reads a varint. Most have one byte.
func (d *decoder) number() uint32 {
	if d.at < len(d.b) && d.b[d.at] < 0x80 {
		d.at++
		return uint32(d.b[d.at-1])
	}
	return d.longNumber()
}

func (d *decoder) longNumber() uint32 {
	v := uint32(0)
	for shift := 0; shift < 28; shift += 7 {
		c := d.byte()
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	d.fail("a number of more than 28 bits")
	return 0
}

// take is the next n bytes of the text.
func (d *decoder) take(n uint32) string {
	if uint64(n) > uint64(len(d.text)) {
		d.fail("the text ends early")
		return ""
	}
	s := d.text[:n]
	d.text = d.text[n:]
	return s
}

func (d *decoder) file() *File {
	if d.byte() != form {
		d.fail("another form")
	}
	f := &File{Status: Status(d.byte())}
	if int(f.Status) >= len(statusNames) {
		d.fail("unknown status")
	}
	d.language(f)
	module, errors, defs, imports := d.number(), d.number(), d.number(), d.number()
	d.cutText()
	f.Module = d.take(module)
	switch {
	case errors > maxErrors:
		d.fail("too many errors")
	case uint64(imports)*minImport > uint64(len(d.b)-d.at):
		d.fail("more imports than there is room for")
	case uint64(defs)*minDef > uint64(len(d.b)-d.at+len(d.text)):
		d.fail("more definitions than there is room for")
	}
	if d.problem != "" {
		return nil
	}
	if errors > 0 {
		f.Errors = make([]Range, errors)
	}
	for i := range f.Errors {
		start := d.number()
		end := start + d.number()
		if end > MaxSize {
			d.fail("range of an error")
		}
		f.Errors[i] = Range{start, end}
	}
	d.defs(f, defs)
	d.imports(f, imports)
	if size := d.number(); uint64(size) > uint64(len(d.b)-d.at) {
		d.fail("it ends early")
	} else {
		f.refs = string(d.b[d.at : d.at+int(size)])
		d.at += int(size)
	}
	if d.at < len(d.b) || d.text != "" {
		d.fail("more than belongs to it")
	}
	return f
}

func (d *decoder) language(f *File) {
	n := int(d.byte())
	if n == 0 {
		return
	}
	if n > len(d.b)-d.at {
		d.fail("it ends early")
		return
	}
	l := languageNamed(string(d.b[d.at : d.at+n]))
	d.at += n
	if l == nil {
		d.fail("unknown language")
		return
	}
	f.Language = l.name
}

// cutText takes the text off the end.
func (d *decoder) cutText() {
	rest := d.b[min(d.at, len(d.b)):]
	if len(rest) < 4 {
		d.fail("it ends early")
		return
	}
	rest = rest[:len(rest)-4]
	n := binary.LittleEndian.Uint32(d.b[len(d.b)-4:])
	if uint64(n) > uint64(len(rest)) {
		d.fail("length of the text")
		return
	}
	d.b = d.b[:d.at+len(rest)-int(n)]
	d.text = string(rest[len(rest)-int(n):])
}

// defs reads n definitions; see appendDef. No sum overflows: a start is at most MaxSize, which is
// checked, and up to three numbers of 28 bits are added.
func (d *decoder) defs(f *File, n uint32) {
	if n == 0 {
		return
	}
	f.Defs = make([]Def, n)
	start := uint32(0)
	container := ""
	for i := range f.Defs {
		def := &f.Defs[i]
		head := d.byte()
		start += d.number()
		def.Start = start
		def.SigStart = start
		if head&headPlain == 0 {
			def.SigStart += d.number()
		}
		def.NameStart = start + d.number()
		name := d.number()
		def.NameEnd = def.NameStart + name
		def.SigEnd = def.SigStart + d.number()
		def.End = def.SigEnd + d.number()
		if head&headDoc != 0 {
			before, size := d.number(), d.number()
			end := int64(start) - int64(int32(before>>1)^-int32(before&1))
			if size == 0 || end < int64(size) || end > MaxSize {
				d.fail("doc comment")
			} else {
				def.DocStart, def.DocEnd = uint32(end)-size, uint32(end)
			}
		}
		if head&headSame == 0 {
			container = d.container()
		}
		def.Container = container
		def.Name = d.take(name)
		def.Kind = Kind(head & headKind)
		if def.Kind == 0 || int(def.Kind) >= len(kindNames) || name == 0 || def.NameEnd > def.End || def.End > MaxSize {
			d.fail("definition")
		}
		if d.problem != "" {
			return
		}
	}
}

// imports reads n imports; see appendImport.
func (d *decoder) imports(f *File, n uint32) {
	if n == 0 || d.problem != "" {
		return
	}
	f.Imports = make([]Import, n)
	for i := range f.Imports {
		m := &f.Imports[i]
		m.Export = d.byte() == 1
		m.Start = d.number()
		m.End = m.Start + d.number()
		m.AliasStart = d.number()
		path, name, alias := d.number(), d.number(), d.number()
		m.Path, m.Name, m.Alias = d.take(path), d.take(name), d.take(alias)
		if m.End > MaxSize || m.AliasStart > MaxSize {
			d.fail("range of an import")
		}
		if d.problem != "" {
			return
		}
	}
}

func (d *decoder) container() string {
	switch ref := d.number(); {
	case ref == containerNone:
		return ""
	case ref == containerNew:
		c := d.take(d.number())
		if c == "" {
			d.fail("a container without a name")
		}
		d.containers = append(d.containers, c)
		return c
	case uint64(ref-2) < uint64(len(d.containers)):
		return d.containers[ref-2]
	default:
		d.fail("unknown container")
		return ""
	}
}
