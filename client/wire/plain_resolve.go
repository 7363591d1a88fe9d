package wire

// AppendPlain implements PlainParams.
func (p ResolveParams) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.common(&p.Common)
	w.name("addresses")
	if p.Addresses == nil {
		return append(w.b, "null}"...), !w.odd
	}
	w.b = append(w.b, '[')
	for i, address := range p.Addresses {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.value(address)
	}
	return append(w.b, "]}"...), !w.odd
}

// ReadPlain implements Plain.
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
