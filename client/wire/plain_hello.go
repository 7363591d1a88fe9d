package wire

// AppendPlain implements plainWriting.
func (p HelloParams) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.text("version", p.Version)
	return append(w.b, '}'), !w.odd
}

// ReadPlain implements plainReading.
func (p *HelloParams) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			if in.odd = in.odd || name != "version"; !in.odd {
				p.Version = in.string()
			}
		})
	})
}

// AppendPlain implements plainWriting.
func (r *HelloResult) AppendPlain(b []byte) ([]byte, bool) {
	w := plainWriter{b: append(b, '{')}
	w.text("version", r.Version)
	w.number("pid", r.PID)
	w.number("busy", r.Busy)
	return append(w.b, '}'), !w.odd
}

// ReadPlain implements plainReading.
func (r *HelloResult) ReadPlain(data []byte) bool {
	return readPlain(data, func(in *plainReader) {
		in.object(func(name string) {
			switch name {
			case "version":
				r.Version = in.string()
			case "pid":
				r.PID = in.int()
			case "busy":
				r.Busy = in.int()
			default:
				in.odd = true
			}
		})
	})
}
