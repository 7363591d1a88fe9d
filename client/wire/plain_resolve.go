package wire

// AppendPlain implements plainWriting.
func (p ResolveParams) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.common(&p.Common)
	w.list("addresses", p.Addresses != nil, len(p.Addresses), func(i int) { w.value(p.Addresses[i]) })
	return append(w.b, '}'), !w.odd
}

// ReadPlain implements plainReading.
func (p *ResolveParams) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			if name == "addresses" {
				p.Addresses = in.strings()
			} else {
				in.common(name, &p.Common)
			}
		})
	})
}

// AppendPlain implements plainWriting.
func (r *ResolveResult) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.list("outcomes", r.Outcomes != nil, len(r.Outcomes), func(i int) { w.outcome(&r.Outcomes[i]) })
	return append(w.b, '}'), !w.odd
}

func (w *plainWriter) outcome(o *Outcome) {
	w.b = append(w.b, '{')
	w.text("address", o.Address)
	w.text("outcome", o.Outcome)
	w.string("path", o.Path)
	w.string("pathBase64", o.PathBase64)
	if o.From != nil {
		w.pair("from", *o.From)
	}
	if o.Lines != nil {
		w.pair("lines", *o.Lines)
	}
	w.string("identity", o.Identity)
	w.string("checked", o.Checked)
	w.int("copies", o.Copies)
	w.int("windows", o.Windows)
	if o.Live != nil {
		w.live("live", o.Live)
	}
	if o.Error != nil {
		w.name("error")
		b, err := AppendJSON(w.b, o.Error)
		w.b, w.odd = b, w.odd || err != nil
	}
	w.close()
}

// ReadPlain implements plainReading.
func (r *ResolveResult) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			if in.odd = in.odd || name != "outcomes"; in.odd {
				return
			}
			r.Outcomes = []Outcome{}
			in.array(func() { r.Outcomes = append(r.Outcomes, in.outcome()) })
		})
	})
}

func (r *plainReader) outcome() (o Outcome) {
	r.object(func(name string) {
		switch name {
		case "address":
			o.Address = r.string()
		case "outcome":
			o.Outcome = r.string()
		case "path":
			o.Path = r.string()
		case "pathBase64":
			o.PathBase64 = r.string()
		case "from":
			o.From = Lines(r.pair()).Ref()
		case "lines":
			o.Lines = Lines(r.pair()).Ref()
		case "identity":
			o.Identity = r.string()
		case "checked":
			o.Checked = r.string()
		case "copies":
			o.Copies = r.int()
		case "windows":
			o.Windows = r.int()
		case "live":
			o.Live = r.live()
		case "error":
			o.Error = new(ErrorData)
			r.into(o.Error)
		default:
			r.odd = true
		}
	})
	return o
}
