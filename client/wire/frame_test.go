package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadFrame(t *testing.T) {
	const ok = "Content-Length: 2\r\n\r\n{}"
	for _, test := range []struct {
		name, in, want string
	}{
		{"plain", ok, "{}"},
		{"lower case", "content-length: 2\r\n\r\n{}", "{}"},
		{"upper case", "CONTENT-LENGTH:2\r\n\r\n{}", "{}"},
		{"spaces", "Content-Length \t:  2 \r\n\r\n{}", "{}"},
		{"leading zeros", "Content-Length: 0002\r\n\r\n{}", "{}"},
		{"bare line feeds", "Content-Length: 2\n\n{}", "{}"},
		{"content type after", "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", "{}"},
		{"content type before", "content-type: x\r\ncontent-length: 2\r\n\r\n{}", "{}"},
		{"unknown header", "X-Trace: a:b:c\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"same length twice", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "{}"},
		{"empty lines before", "\r\n\n" + ok, "{}"},
		{"header of nearly 4 KiB", "X: " + strings.Repeat("x", 4000) + "\r\n" + ok, "{}"},
		{"body with a header inside", "Content-Length: 21\r\n\r\n" + ok[:21], ok[:21]},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range readers(test.in + ok) {
				got, err := ReadFrame(r)
				if err != nil || string(got) != test.want {
					t.Errorf("%s: got %q, %v; want %q", name, got, err, test.want)
				}
				if got, err := ReadFrame(r); err != nil || string(got) != "{}" {
					t.Errorf("%s: next frame: got %q, %v", name, got, err)
				}
				if got, err := ReadFrame(r); err != io.EOF {
					t.Errorf("%s: at the end: got %q, %v; want io.EOF", name, got, err)
				}
			}
		})
	}
}

// LIBRARIES M22.
func TestReadFrameRefuses(t *testing.T) {
	const next = "Content-Length: 2\r\n\r\n{}"
	for _, test := range []struct {
		name, in, reason string
		recoverable      bool
	}{
		{"length 0", "Content-Length: 0\r\n\r\n", "the message is empty", true},
		{"length -1", "Content-Length: -1\r\n\r\n", `Content-Length "-1" is no number of bytes`, false},
		{"length +2", "Content-Length: +2\r\n\r\n", `"+2" is no number`, false},
		{"length 2.0", "Content-Length: 2.0\r\n\r\n", `"2.0" is no number`, false},
		{"length of letters", "Content-Length: two\r\n\r\n", `"two" is no number`, false},
		{"no value", "Content-Length:\r\n\r\n", `"" is no number`, false},
		{"64 MiB + 1", "Content-Length: 67108865\r\n\r\n", "67108865 bytes is above the limit of 67108864", false},
		{"2^31", "Content-Length: 2147483648\r\n\r\n", "2147483648 bytes is above the limit", false},
		{"4,000 MB", "Content-Length: 4000000000\r\n\r\n", "4000000000 bytes is above the limit", false},
		{"beyond int64", "Content-Length: " + strings.Repeat("9", 400) + "\r\n\r\n", "above the limit", false},
		{"two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", "given twice, 2 and 3", false},
		{"no length", "Content-Type: x\r\n\r\n", "no Content-Length", false},
		{"no header at all", "GET / HTTP/1.1\r\n\r\n", `header line "GET / HTTP/1.1" has no colon`, false},
		{"broken line beside a length", "what?\r\nContent-Length: 2\r\n\r\n{}", `header line "what?" has no colon`, true},
		{"endless line", strings.Repeat("x", 1<<20), "more than 4096 bytes", false},
		{"endless header", strings.Repeat("X: y\r\n", 1<<18), "more than 4096 bytes", false},
		{"ESC in a header", "\x1b[31m\r\n\r\n", `"\x1b[31m"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range readers(test.in + next) {
				got, err := ReadFrame(r)
				var frame *FrameError
				if !errors.As(err, &frame) {
					t.Fatalf("%s: got %q, %v; want a *FrameError", name, got, err)
				}
				if !strings.Contains(err.Error(), test.reason) || frame.Recoverable != test.recoverable {
					t.Errorf("%s: got %q, recoverable %v; want %q, %v", name, err, frame.Recoverable, test.reason, test.recoverable)
				}
				if !test.recoverable {
					continue
				}
				if got, err := ReadFrame(r); err != nil || string(got) != "{}" {
					t.Errorf("%s: the next frame: got %q, %v", name, got, err)
				}
			}
		})
	}
}

// Every proper prefix of a frame is either nothing (io.EOF) or a frame cut short.
func TestReadFrameTruncated(t *testing.T) {
	const whole = "Content-Length: 2\r\n\r\n{}"
	for i := range whole {
		for name, r := range readers(whole[:i]) {
			_, err := ReadFrame(r)
			if i == 0 {
				if err != io.EOF {
					t.Errorf("%s: nothing: got %v, want io.EOF", name, err)
				}
				continue
			}
			var frame *FrameError
			if !errors.As(err, &frame) || frame.Recoverable || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %q: got %v", name, whole[:i], err)
			}
		}
	}
}

func TestReadFrameKeepsReadError(t *testing.T) {
	broken := errors.New("broken")
	for _, in := range []string{"", "Content-Le", "Content-Length: 5\r\n\r\nab"} {
		r := bufio.NewReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)))
		if _, err := ReadFrame(r); !errors.Is(err, broken) {
			t.Errorf("after %q: got %v, want the reader's error", in, err)
		}
	}
}

// A header that announces the maximum and sends nothing must not cost the maximum.
// LIBRARIES M22.
func TestReadFrameAllocatesAsBytesArrive(t *testing.T) {
	before, after := new(runtime.MemStats), new(runtime.MemStats)
	runtime.ReadMemStats(before)
	const rounds = 20
	for range rounds {
		_, err := ReadFrame(bufio.NewReader(strings.NewReader("Content-Length: 67108864\r\n\r\n{")))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(after)
	if got := (after.TotalAlloc - before.TotalAlloc) / rounds; got > 1<<20 {
		t.Errorf("%d bytes allocated for a frame that never came", got)
	}
}

func TestFrameRoundTrip(t *testing.T) {
	for _, n := range []int{1, 2, firstChunk - 1, firstChunk, firstChunk + 1, 3*firstChunk + 7, 5 << 20} {
		message := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
		stream := AppendFrame([]byte("Content-Length: 2\r\n\r\n{}"), message)
		r := bufio.NewReader(bytes.NewReader(stream))
		if got, err := ReadFrame(r); err != nil || string(got) != "{}" {
			t.Fatalf("%d: first frame: %q, %v", n, got, err)
		}
		if got, err := ReadFrame(r); err != nil || !bytes.Equal(got, message) {
			t.Errorf("%d bytes did not survive: %d bytes, %v", n, len(got), err)
		}
	}
}

// FuzzReadFrame: any bytes end in messages or one error; how the bytes are cut into reads makes
// no difference; a message that was read survives being written.
func FuzzReadFrame(f *testing.F) {
	for _, seed := range []string{
		"", "Content-Length: 2\r\n\r\n{}", "content-length:2\n\n{}Content-Length: 1\r\n\r\n1",
		"Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n[]", "Content-Length: -1\r\n\r\n{}",
		"Content-Length: 4000000000\r\n\r\n", "what\r\nContent-Length: 2\r\n\r\n{}", "\r\n\r\n\r\n",
		"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "X: " + strings.Repeat("x", 5000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var want []string
		for name, r := range readers(string(in)) {
			var got []string
			for {
				message, err := ReadFrame(r)
				if err != nil {
					got = append(got, "error: "+err.Error())
					var frame *FrameError
					if errors.As(err, &frame) && frame.Recoverable {
						continue
					}
					break
				}
				if len(message) == 0 || len(message) > len(in) {
					t.Fatalf("a message of %d bytes out of %d", len(message), len(in))
				}
				again, err := ReadFrame(bufio.NewReader(bytes.NewReader(AppendFrame(nil, message))))
				if err != nil || !bytes.Equal(again, message) {
					t.Fatalf("round trip of %q: %q, %v", message, again, err)
				}
				got = append(got, string(message))
			}
			if want == nil {
				want = got
			}
			if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
				t.Fatalf("%s: read %q, want %q", name, got, want)
			}
		}
	})
}

// readers serve the same bytes in different pieces.
func readers(in string) map[string]*bufio.Reader {
	return map[string]*bufio.Reader{
		"whole":         bufio.NewReader(strings.NewReader(in)),
		"byte by byte":  bufio.NewReader(iotest.OneByteReader(strings.NewReader(in))),
		"small buffer":  bufio.NewReaderSize(strings.NewReader(in), 16),
		"large buffer":  bufio.NewReaderSize(strings.NewReader(in), 1<<16),
		"error at once": bufio.NewReader(iotest.DataErrReader(strings.NewReader(in))),
	}
}

func BenchmarkReadFrame(b *testing.B) {
	message := AppendFrame(nil, bytes.Repeat([]byte("x"), 200))
	in := bytes.NewReader(message)
	r := bufio.NewReader(in)
	b.ReportAllocs()
	for b.Loop() {
		in.Reset(message)
		r.Reset(in)
		if _, err := ReadFrame(r); err != nil {
			b.Fatal(err)
		}
	}
}
