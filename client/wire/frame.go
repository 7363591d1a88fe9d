package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// MaxFrame is the most bytes that one message may have: a length above it is refused before
// anything is allocated.
const MaxFrame = 64 << 20

const (
	maxHeader  = 4 << 10  // bytes of one header block
	firstChunk = 64 << 10 // bytes of a body that are allocated on the word of its header
)

// FrameError is a message that could not be read as a frame.
type FrameError struct {
	Reason string // what is wrong and what to do
	Length int64  // the announced length in bytes; -1 when there was none to be read
	// Recoverable says that the stream stands at the next frame all the same, so that the
	// connection can go on.
	Recoverable bool
	Err         error // io.ErrUnexpectedEOF when the stream ended inside the frame; else nil
}

func (e *FrameError) Error() string { return "frame: " + e.Reason }
func (e *FrameError) Unwrap() error { return e.Err }

// ReadFrame reads one message in the base protocol of LSP: headers (in any case), an empty line,
// Content-Length bytes. A frame that is too long or malformed is a *FrameError; io.EOF comes
// only between frames; any other error is the reader's own.
//
// It is liberal: header names in any case, unknown headers, lines that end in a bare LF and
// empty lines between frames are read. A header block has at most 4 KiB. The message has at
// least one byte and at most MaxFrame, and is the caller's to keep. Memory grows as the bytes
// arrive: whoever announces 64 MiB and sends nothing costs 64 KiB.
func ReadFrame(r *bufio.Reader) ([]byte, error) {
	length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	body, err := readBody(r, int(length))
	if err == io.EOF {
		return nil, &FrameError{Reason: "the stream ended inside a message of " + itoa(length) + " bytes",
			Length: length, Err: io.ErrUnexpectedEOF}
	}
	return body, err
}

// AppendFrame appends one message with its header to b.
func AppendFrame(b, message []byte) []byte {
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(len(message)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, message...)
}

// readHeader reads up to the empty line and returns a length in 1..MaxFrame. A broken header line
// does not end the block: as long as a length can be found the message is skipped, so that the
// stream stays in step.
func readHeader(r *bufio.Reader) (int64, error) {
	var (
		h    header
		left = maxHeader
		seen bool // a header line was read
	)
	h.length = -1
	for {
		line, err := readLine(r, &left)
		switch {
		case err == io.EOF && !seen && len(line) == 0:
			return 0, io.EOF
		case err == io.EOF:
			return 0, &FrameError{Reason: "the stream ended inside a header", Length: h.length, Err: io.ErrUnexpectedEOF}
		case err == errLongHeader:
			return 0, &FrameError{Reason: "the header has more than " + itoa(maxHeader) + " bytes", Length: h.length}
		case err != nil:
			return 0, err
		case len(line) > 0:
			seen = true
			h.add(line)
		case seen:
			return h.end(r)
		}
	}
}

// header collects one header block.
type header struct {
	length int64  // -1: none yet
	broken string // the first line that is no header; the length still counts
	wrong  string // why the length cannot be used; the stream is out of step
}

func (h *header) add(line []byte) {
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		if h.broken == "" {
			h.broken = "header line " + quote(line) + " has no colon"
		}
		return
	}
	if !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
		return
	}
	value = bytes.TrimSpace(value)
	n, ok := parseLength(value)
	switch {
	case h.wrong != "":
	case !ok:
		h.wrong = "Content-Length " + quote(value) + " is no number of bytes"
	case h.length >= 0 && h.length != n:
		h.wrong = "Content-Length is given twice, " + itoa(h.length) + " and " + itoa(n)
	default:
		h.length = n
	}
}

// end judges the block once its empty line has been read.
func (h *header) end(r *bufio.Reader) (int64, error) {
	switch {
	case h.wrong != "":
		return 0, &FrameError{Reason: h.wrong, Length: h.length}
	case h.length < 0 && h.broken != "":
		return 0, &FrameError{Reason: h.broken + " and there is no Content-Length", Length: -1}
	case h.length < 0:
		return 0, &FrameError{Reason: "the header has no Content-Length", Length: -1}
	case h.length > MaxFrame:
		return 0, &FrameError{Reason: "a message of " + itoa(h.length) + " bytes is above the limit of " +
			itoa(MaxFrame) + ": send less at once", Length: h.length}
	case h.broken != "":
		if _, err := r.Discard(int(h.length)); err == io.EOF {
			return 0, &FrameError{Reason: h.broken, Length: h.length, Err: io.ErrUnexpectedEOF}
		} else if err != nil {
			return 0, err
		}
		return 0, &FrameError{Reason: h.broken, Length: h.length, Recoverable: true}
	case h.length == 0:
		return 0, &FrameError{Reason: "the message is empty", Recoverable: true}
	}
	return h.length, nil
}

var errLongHeader = errors.New("header too long")

// readLine returns the next line without its end, and takes its bytes from left. The line is
// valid until the next read. At io.EOF it holds what came before.
func readLine(r *bufio.Reader, left *int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == bufio.ErrBufferFull { // the line is longer than the reader's buffer: collect it
		var long []byte
		for err == bufio.ErrBufferFull {
			if long = append(long, line...); len(long) >= *left {
				return nil, errLongHeader
			}
			line, err = r.ReadSlice('\n')
		}
		line = append(long, line...)
	}
	if *left -= len(line); *left < 0 {
		return nil, errLongHeader
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), err
}

// readBody reads n bytes. The buffer doubles as they arrive, so that the announced length alone
// allocates at most firstChunk.
func readBody(r *bufio.Reader, n int) ([]byte, error) {
	body := make([]byte, min(n, firstChunk))
	for read := 0; ; {
		k, err := io.ReadFull(r, body[read:])
		read += k
		switch {
		case err == io.ErrUnexpectedEOF:
			return nil, io.EOF
		case err != nil:
			return nil, err
		case read == n:
			return body, nil
		}
		grown := make([]byte, min(n, 2*len(body)))
		copy(grown, body)
		body = grown
	}
}

// parseLength reads plain decimal digits. What does not fit is a length above every limit.
func parseLength(value []byte) (int64, bool) {
	if len(value) == 0 {
		return 0, false
	}
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n < 1<<55 {
			n = n*10 + int64(c-'0')
		}
	}
	return n, true
}

// quote shows what the peer sent, cut to a size that fits an error message.
func quote(b []byte) string {
	const most = 60
	if len(b) > most {
		return strconv.QuoteToASCII(string(b[:most])) + "…"
	}
	return strconv.QuoteToASCII(string(b))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
