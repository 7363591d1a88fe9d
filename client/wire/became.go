package wire

import (
	"fmt"
	"strings"
)

// What became of a lost address.
const (
	Edited     = "edited"      // other lines stand in its place
	Moved      = "moved"       // its content stands in another file that was written since
	Renamed    = "renamed"     // its file stands under another name
	Deleted    = "deleted"     // nothing stands in its place
	NeverThere = "never_there" // no known version of the file had this content at these lines
)

// Became is advice beside a refusal. It names where to look; the refusal stands all the same.
type Became struct {
	Kind string `json:"kind"`
	// Path, Lines and Address are the one place to look at: the lines that replaced the addressed ones, or where they
	// are now. They are empty when nothing is there, and when there are several places.
	Path       string `json:"path,omitempty"`
	PathBase64 string `json:"pathBase64,omitempty"` // the exact name when Path cannot carry it
	Lines      *Lines `json:"lines,omitempty"`
	Address    string `json:"address,omitempty"`
	// Surviving of the Of addressed lines are still there.
	Surviving int `json:"surviving"`
	Of        int `json:"of,omitempty"`
	// Symbol is the definition that the lines were, when it still exists: Lines are its present ones.
	Symbol string `json:"symbol,omitempty"`
	// Candidates are live addresses of equal content in several places, and More how many there are besides. Which of
	// them is meant is not known.
	Candidates []string `json:"candidates,omitempty"`
	More       int      `json:"more,omitempty"`
	// Twin is an equal region of the same file that is provably another one.
	Twin string `json:"twin,omitempty"`
}

// String is the advice as a line of text, without a terminator.
func (b *Became) String() string {
	var s strings.Builder
	switch b.Kind {
	case Edited:
		now := b.Address
		if now == "" && b.Lines != nil {
			now = fmt.Sprintf("L%d:%d", b.Lines[0], b.Lines[1])
		}
		fmt.Fprintf(&s, "edited: now %s (%d of %d lines survive)", now, b.Surviving, b.Of)
		if b.Symbol != "" {
			fmt.Fprintf(&s, ", where %s is", b.Symbol)
		}
	case Moved, Renamed:
		s.WriteString(map[string]string{Moved: "moved", Renamed: "renamed file"}[b.Kind])
		switch n := len(b.Candidates) + b.More; {
		case n == 0:
			fmt.Fprintf(&s, ": %s", b.Address)
		default:
			fmt.Fprintf(&s, ", ambiguous: %s", strings.Join(b.Candidates, ", "))
			if b.More > 0 {
				fmt.Fprintf(&s, " and %d more", b.More)
			}
		}
	case Deleted:
		s.WriteString("deleted in this file")
	case NeverThere:
		s.WriteString("never there: no known version of this file has this content at these lines")
	default:
		s.WriteString(b.Kind)
	}
	if b.Twin != "" {
		fmt.Fprintf(&s, "; %s has equal content and is another region", b.Twin)
	}
	return s.String()
}
