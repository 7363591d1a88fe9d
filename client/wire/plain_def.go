package wire

// AppendPlain implements plainWriting.
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

// ReadPlain implements plainReading.
func (p *DefParams) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			switch name {
			case "target":
				p.Target = in.string()
			case "symbol":
				p.Symbol = in.string()
			case "noBody":
				p.NoBody = in.bool()
			case "limit":
				p.Limit = in.int()
			case "after":
				p.After = in.int()
			default:
				in.common(name, &p.Common)
			}
		})
	})
}

// AppendPlain implements plainWriting.
func (r *DefResult) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.text("target", r.Target)
	w.text("engine", r.Engine)
	w.coverage("coverage", &r.Coverage)
	w.list("definitions", r.Definitions != nil, len(r.Definitions), func(i int) { w.definition(&r.Definitions[i]) })
	w.number("total", r.Total)
	w.int("next", r.Next)
	return append(w.b, '}'), !w.odd
}

func (w *plainWriter) definition(d *Definition) {
	w.b = append(w.b, '{')
	w.text("path", d.Path)
	w.string("pathBase64", d.PathBase64)
	w.text("name", d.Name)
	w.text("container", d.Container)
	w.text("kind", d.Kind)
	w.string("signature", d.Signature)
	w.string("doc", d.Doc)
	w.pair("lines", d.Lines)
	w.span("range", d.Range)
	w.span("selectionRange", d.SelectionRange)
	w.pair("bytes", d.Bytes)
	w.pair("selectionBytes", d.SelectionBytes)
	w.captured("captured", d.Captured)
	w.live("live", d.Live)
	if len(d.Text) > 0 {
		w.list("text", true, len(d.Text), func(i int) { w.value(d.Text[i]) })
	}
	w.bool("complete", d.Complete)
	w.string("textBase64", d.TextBase64)
	w.string("note", d.Note)
	w.close()
}

// ReadPlain implements plainReading.
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
