package captures

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// A frame of the log is payload and CRC-32C, byte-stuffed so that it has no zero byte, then one
// zero byte. The stuffing is COBS: Cheshire and Baker, "Consistent Overhead Byte Stuffing",
// SIGCOMM 1997. It costs one byte in 254, and makes finding the next frame after damage exact: no
// payload, whatever a file name in it may be, can look like the start of a frame. A length prefix
// was rejected, since one flipped bit in it loses all that follows. Runs of zero bytes, which a
// crash of the machine can leave behind, are empty frames and mean nothing.
const (
	delimiter = 0
	maxFrame  = 1<<16 - 1 // longest frame without its delimiter, in bytes
	crcSize   = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame appends the frame of payload to dst.
func appendFrame(dst, payload []byte) []byte {
	var crc [crcSize]byte
	binary.LittleEndian.PutUint32(crc[:], crc32.Checksum(payload, castagnoli))
	code := len(dst) // where the length of the current run goes
	dst = append(dst, 1)
	for _, part := range [2][]byte{payload, crc[:]} {
		for _, c := range part {
			if c != 0 {
				dst = append(dst, c)
				dst[code]++
			}
			if c == 0 || dst[code] == 255 {
				code = len(dst)
				dst = append(dst, 1)
			}
		}
	}
	return append(dst, delimiter)
}

// decodeFrame appends the payload of a frame, given without its delimiter, to dst. It reports
// false when the frame is malformed or the checksum does not match.
func decodeFrame(dst, frame []byte) ([]byte, bool) {
	if len(frame) > maxFrame {
		return dst, false
	}
	start := len(dst)
	for len(frame) > 0 {
		n := int(frame[0])
		if n == 0 || n > len(frame) {
			return dst[:start], false
		}
		dst = append(dst, frame[1:n]...)
		frame = frame[n:]
		if n < 255 && len(frame) > 0 {
			dst = append(dst, 0)
		}
	}
	end := len(dst) - crcSize
	if end < start || binary.LittleEndian.Uint32(dst[end:]) != crc32.Checksum(dst[start:end], castagnoli) {
		return dst[:start], false
	}
	return dst[:end], true
}

// scanner walks the frames between two offsets of a log.
//
//	for s.next() { use s.offset, s.frame, s.size }
type scanner struct {
	r   io.ReaderAt
	to  int64 // exclusive
	err error // why the walk ended early, other than at the end of the file

	offset int64  // of the current frame
	frame  []byte // the current frame without its delimiter, nil when it is too long to be one; valid until next
	size   int64  // bytes of the current frame without its delimiter
	end    int64  // just after the last delimiter seen; a partial frame may follow

	buf        []byte
	pos, have  int   // buf[pos:have] is unread
	base       int64 // offset of buf[0]
	overlong   bool  // the current frame began before buf, and is longer than any can be
	overlongAt int64
}

// scanBuffer is the read size: 1 MiB is where larger ones stopped helping.
const scanBuffer = 1 << 20

func newScanner(r io.ReaderAt, from, to int64) *scanner {
	n := min(scanBuffer, max(to-from, 0)+1)
	return &scanner{r: r, to: to, end: from, base: from, buf: make([]byte, n)}
}

// next advances to the next frame that is not empty and has its delimiter.
func (s *scanner) next() bool {
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.have], delimiter); i >= 0 {
			s.frame = s.buf[s.pos : s.pos+i]
			s.offset = s.base + int64(s.pos)
			s.size = int64(i)
			if s.overlong {
				s.size += s.offset - s.overlongAt
				s.offset = s.overlongAt
				s.frame = nil
				s.overlong = false
			}
			s.pos += i + 1
			s.end = s.base + int64(s.pos)
			if s.size > 0 {
				return true
			}
			continue
		}
		if !s.fill() {
			return false
		}
	}
}

// fill reads on; what is unread moves to the front of the buffer.
func (s *scanner) fill() bool {
	if s.have-s.pos > maxFrame {
		if !s.overlong {
			s.overlong, s.overlongAt = true, s.base+int64(s.pos)
		}
		s.pos = s.have
	}
	s.base += int64(s.pos)
	s.have = copy(s.buf, s.buf[s.pos:s.have])
	s.pos = 0
	left := s.to - s.base - int64(s.have)
	if left <= 0 || s.have == len(s.buf) {
		return false
	}
	room := s.buf[s.have:]
	if int64(len(room)) > left {
		room = room[:left]
	}
	n, err := s.r.ReadAt(room, s.base+int64(s.have))
	s.have += n
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n > 0
}
