package wire

// AppendPlain implements PlainParams.
func (p DefParams) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.common(&p.Common)
	w.name("target")
	w.value(p.Target)
	w.string("symbol", p.Symbol)
	w.bool("noBody", p.NoBody)
	w.int("limit", p.Limit)
	w.int("after", p.After)
	return append(w.b, '}'), !w.odd
}

// ReadPlain implements Plain.
func (r *DefResult) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			switch name {
			case "target":
				r.Target = in.string()
			case "engine":
				r.Engine = in.string()
			case "coverage":
				r.Coverage = in.coverage()
			case "definitions":
				r.Definitions = []Definition{}
				in.array(func() { r.Definitions = append(r.Definitions, in.definition()) })
			case "total":
				r.Total = in.int()
			case "next":
				r.Next = in.int()
			default:
				in.odd = true
			}
		})
	})
}

func (r *plainReader) definition() (d Definition) {
	r.object(func(name string) {
		switch name {
		case "path":
			d.Path = r.string()
		case "pathBase64":
			d.PathBase64 = r.string()
		case "name":
			d.Name = r.string()
		case "container":
			d.Container = r.string()
		case "kind":
			d.Kind = r.string()
		case "signature":
			d.Signature = r.string()
		case "doc":
			d.Doc = r.string()
		case "lines":
			d.Lines = r.pair()
		case "range":
			d.Range = r.span()
		case "selectionRange":
			d.SelectionRange = r.span()
		case "bytes":
			d.Bytes = r.pair()
		case "selectionBytes":
			d.SelectionBytes = r.pair()
		case "captured":
			d.Captured = r.captured()
		case "live":
			d.Live = r.live()
		case "text":
			d.Text = r.strings()
		case "complete":
			d.Complete = r.bool()
		case "textBase64":
			d.TextBase64 = r.string()
		case "note":
			d.Note = r.string()
		default:
			r.odd = true
		}
	})
	return d
}
