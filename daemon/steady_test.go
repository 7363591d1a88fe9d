package daemon

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// steady is a file under random edits, and what daemons answered about addresses in it.
type steady struct {
	r       *rand.Rand
	lines   []string
	past    [][]string
	serial  int
	commits int
	answers map[string]wire.Outcome // by daemon, address, what is on record of it, and the bytes of the file
}

// edit changes the file: lines of few contents, so that most have twins, come, go, move, are copied, or all is as it was once.
func (s *steady) edit() {
	s.past = append(s.past, slices.Clone(s.lines))
	at := s.r.IntN(len(s.lines) + 1)
	last := min(len(s.lines), at+1+s.r.IntN(3))
	switch s.r.IntN(7) {
	case 0:
		s.lines = slices.Insert(slices.Clone(s.lines), at, s.line(), s.line())
	case 1:
		s.lines = slices.Delete(slices.Clone(s.lines), at, last)
	case 2:
		block := slices.Clone(s.lines[at:last])
		s.lines = slices.Delete(slices.Clone(s.lines), at, last)
		s.lines = slices.Insert(s.lines, s.r.IntN(len(s.lines)+1), block...)
	case 3:
		s.lines = slices.Insert(slices.Clone(s.lines), s.r.IntN(len(s.lines)+1), s.lines[at:last]...)
	case 4:
		s.lines = slices.Clone(s.lines)
		for i := at; i < last; i++ {
			s.lines[i] = s.line()
		}
	default:
		s.lines = slices.Clone(s.past[s.r.IntN(len(s.past))])
	}
	if len(s.lines) < 8 {
		s.lines = append(s.lines, s.line(), s.line(), s.line())
	}
}

func (s *steady) line() string {
	switch s.r.IntN(3) {
	case 0:
		return ""
	case 1:
		return "    return " + strconv.Itoa(s.r.IntN(3))
	}
	s.serial++
	return fmt.Sprint("    a statement of its own ", s.serial)
}

// ask resolves an address and compares the answer with what was said of these bytes before.
func (s *steady) ask(t *testing.T, who string, ws *Workspace, address string) {
	t.Helper()
	res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	now := res.Outcomes[0]
	sel, err := parseSelector(wire.ParseAddress(address).Lines)
	if err != nil {
		t.Fatal(err)
	}
	record := ""
	for _, c := range ws.captures(ws.store.Now(), "m.py", sel) {
		record += c.Blob.String()[:8]
	}
	key := strings.Join([]string{who, address, record, strconv.Itoa(s.commits), strings.Join(s.lines, "\n")}, "\x00")
	was, asked := s.answers[key]
	s.answers[key] = now
	if !asked || was.Outcome == wire.Lost {
		return
	}
	if now.Outcome == wire.Lost || was.Identity == identityProven && (now.Identity != identityProven || *now.Lines != *was.Lines) {
		t.Errorf("%s: %s was at %v (%s) and is at %v (%s) in the same bytes:\n%s", who, address, was.Lines, was.Identity, now.Lines, now.Identity, strings.Join(s.lines, "\n"))
	}
}

// TestSteady: what was answered of an address is answered again for the same bytes, whatever the daemon saw in between and however
// often it was started anew. An answer may become finer, as an address that was lost may be found; found it is not lost
// again, and proven to be at one place it is not at another (CASES A1).
func TestSteady(t *testing.T) {
	seeds := uint64(12)
	if n, err := strconv.ParseUint(os.Getenv("CTX_MODEL_SEEDS"), 10, 32); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := &steady{r: rand.New(rand.NewPCG(seed, 9)), answers: map[string]wire.Outcome{}}
			for range 20 {
				s.lines = append(s.lines, s.line())
			}
			root := t.TempDir()
			file := filepath.Join(root, "m.py")
			save := func() { write(t, file, strings.Join(s.lines, "\n")+"\n") }
			save()
			states := []string{t.TempDir(), t.TempDir()} // of one that sees everything, and one that is started anew again and again
			names := []string{"watching", "restarted"}
			all, stops := make([]*Workspace, 2), make([]func(), 2)
			for i := range all {
				all[i], stops[i] = started(t, states[i], root)
			}
			defer func() {
				for _, stop := range stops {
					stop()
				}
			}()
			if seed%2 == 1 {
				committedTree(t, all[0])
			}
			var addresses []string
			for range 150 {
				switch n := s.r.IntN(10); {
				case n == 0 && seed%2 == 1 && s.r.IntN(2) == 0:
					write(t, filepath.Join(root, "other"), fmt.Sprint(s.serial, s.commits))
					commitAll(t, all[0])
					s.commits++
				case n < 2:
					first := 1 + s.r.IntN(len(s.lines))
					last := min(len(s.lines), first+s.r.IntN(3))
					lines := fmt.Sprintf("%d:%d", first, last)
					if seed%2 == 1 && s.r.IntN(2) == 0 { // made elsewhere
						addresses = append(addresses, "repo:m.py --lines "+lines+"@"+anchorOf(strings.Join(s.lines[first-1:last], "\n")+"\n"))
						continue
					}
					for _, ws := range all {
						addresses = append(addresses, get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: lines}).Live.Address)
					}
				case n < 6:
					s.edit()
					save()
					settled(t, all[0])
				case n < 7:
					stops[1]()
					all[1], stops[1] = started(t, states[1], root)
				default:
					for range min(3, len(addresses)) {
						address := addresses[s.r.IntN(len(addresses))]
						for i, ws := range all {
							s.ask(t, names[i], ws, address)
						}
					}
				}
			}
		})
	}
}
