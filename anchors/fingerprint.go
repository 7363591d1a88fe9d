package anchors

// A fingerprint of a window of lines d0 … d(m-1) is the polynomial d0·B^(m-1) + … + d(m-1) in the
// base B, modulo 2^64, over the line digests as numbers. It is moved by one line in either
// direction in constant time (Karp and Rabin, 1987), which is what keeps a search linear in the
// lines of the file whatever the length of the span.
//
// Equal windows have equal fingerprints. The converse is likely but not promised, so a fingerprint
// only ever rules a window out. The modulus 2^64 needs no reduction, unlike the prime 2^61-1 that
// is usual, and whoever crafts texts against either gains refusals or a slower search, never other
// content.
const base uint64 = 0x9e3779b97f4a7c15 // odd, so that it has an inverse

var unbase = inverse(base)

// inverse returns the inverse of an odd x modulo 2^64 by Newton's iteration: x is its own inverse
// modulo 8, and each round doubles the number of right bits.
func inverse(x uint64) uint64 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

func power(x uint64, n int) uint64 {
	p := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= x
		}
		x *= x
	}
	return p
}

// A roller is a window of m lines that moves over a table.
type roller struct {
	t     *Table
	m     int
	top   uint64 // base^(m-1), the weight of the first line
	at    int    // first line, from 0
	print uint64 // fingerprint of the lines at … at+m-1
}

// newRoller returns the window of m >= 1 lines at line at. It is half made when b is spent.
func newRoller(t *Table, at, m int, b *budget) roller {
	r := roller{t: t, m: m, top: power(base, m-1), at: at}
	for i := at; i < at+m && b.spend(lineBytes); i++ {
		r.print = r.print*base + t.word(i)
	}
	return r
}

// down moves the window one line towards the end.
func (r *roller) down() {
	r.print = (r.print-r.t.word(r.at)*r.top)*base + r.t.word(r.at+r.m)
	r.at++
}

// up moves the window one line towards the beginning.
func (r *roller) up() {
	r.at--
	r.print = (r.print-r.t.word(r.at+r.m))*unbase + r.t.word(r.at)*r.top
}
