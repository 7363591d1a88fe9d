package anchors

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSelector(t *testing.T) {
	const grammar = "; expected A:B or A:B@anchor"
	const order = ": need 1 <= A <= B"
	for _, c := range []struct{ in, out, err string }{
		{in: "4:5", out: "4:5"},
		{in: "4:5@07407f1c", out: "4:5@07407f1c"},
		{in: " \t4:5@07407f1c\n", out: "4:5@07407f1c"},
		{in: "004:0005", out: "4:5"},
		{in: "9223372036854775807:9223372036854775807", out: "9223372036854775807:9223372036854775807"},
		{in: "", err: "invalid span ''" + grammar},
		{in: "4", err: "invalid span '4'" + grammar},
		{in: ":", err: "invalid span ':'" + grammar},
		{in: "4:", err: "invalid span '4:'" + grammar},
		{in: ":5", err: "invalid span ':5'" + grammar},
		{in: "4:5:6", err: "invalid span '4:5:6'" + grammar},
		{in: " 4: 5 ", err: "invalid span '4: 5'" + grammar},
		{in: "+4:5", err: "invalid span '+4:5'" + grammar},
		{in: "4:-5", err: "invalid span '4:-5'" + grammar},
		{in: "4:1_0", err: "invalid span '4:1_0'" + grammar},
		{in: "0x1:0x2", err: "invalid span '0x1:0x2'" + grammar},
		{in: "٤:٥", err: "invalid span '٤:٥'" + grammar},
		{in: "4:9223372036854775808", err: "invalid span '4:9223372036854775808'" + grammar},
		{in: "99999999999999999999:5", err: "invalid span '99999999999999999999:5'" + grammar},
		{in: "4:5@", err: "invalid span '4:5@'" + grammar},
		{in: "4:5@short", err: "invalid span '4:5@short'" + grammar},
		{in: "4:5@ZZZZZZZZ", err: "invalid span '4:5@ZZZZZZZZ'" + grammar},
		{in: "4:5@07407F1C", err: "invalid span '4:5@07407F1C'" + grammar},
		{in: "4:5@07407f1c2", err: "invalid span '4:5@07407f1c2'" + grammar},
		{in: "4:5@07407f1c@07407f1c", err: "invalid span '4:5@07407f1c@07407f1c'" + grammar},
		{in: "@07407f1c", err: "invalid span '@07407f1c'" + grammar},
		{in: "5:4", err: "invalid span '5:4'" + order},
		{in: "0:3", err: "invalid span '0:3'" + order},
		{in: "0:0", err: "invalid span '0:0'" + order},
		{in: "5:4@07407f1c", err: "invalid span '5:4@07407f1c'" + order},
		{in: "it's \"4\"\x1b[2J", err: `invalid span 'it's "4"\x1b[2J'` + grammar},
		{in: strings.Repeat("7", 81), err: "invalid span '" + strings.Repeat("7", 80) + "…'" + grammar},
	} {
		sel, err := ParseSelector(c.in)
		if c.err == "" {
			if err != nil || sel.String() != c.out {
				t.Errorf("%q reads as %q, %v; want %q", c.in, sel, err, c.out)
			}
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.err || sel != (Selector{}) {
			t.Errorf("%q reads as %q, error\n%v, want\n%s", c.in, sel, err, c.err)
		}
	}
}

func TestParseAnchor(t *testing.T) {
	a, err := ParseAnchor("07407f1c")
	if err != nil || a != (Anchor{0x07, 0x40, 0x7f, 0x1c}) || a.String() != "07407f1c" {
		t.Errorf("07407f1c reads as %v, %v", a, err)
	}
	for _, s := range []string{"", "07407f1", "07407f1c2", "07407F1C", "07407f1g", " 07407f1c"} {
		var syntax *SyntaxError
		if a, err := ParseAnchor(s); !errors.As(err, &syntax) || a != (Anchor{}) {
			t.Errorf("%q reads as %v, %v", s, a, err)
		}
	}
	_, err = ParseAnchor("x")
	if want := "invalid anchor 'x'; expected 8 lowercase hex digits"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestSpanLen(t *testing.T) {
	const most = int(^uint(0) >> 1)
	for s, want := range map[Span]int{
		{4, 5}: 2, {1, 1}: 1, {1, most}: most, {0, 0}: 0, {0, 3}: 0, {5, 4}: 0, {-most - 1, most}: 0,
	} {
		if got := s.Len(); got != want {
			t.Errorf("%v has %d lines, want %d", s, got, want)
		}
	}
}
