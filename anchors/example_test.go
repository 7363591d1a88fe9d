package anchors_test

import (
	"fmt"

	"ctxd/anchors"
)

// An address is minted, the file is edited above it, then in it.
func Example() {
	before := anchors.NewTable([]byte("def alpha():\n    return 1\n\ndef beta():\n    return 2\n"))
	span := anchors.Span{First: 4, Last: 5}
	known := before.Known(span)
	minted := anchors.Selector{Span: span, Anchor: known.Full.Anchor(), Anchored: true}
	fmt.Println(minted)

	sel, err := anchors.ParseSelector("4:5@07407f1c")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{
		"def alpha():\r\n    return 1\r\n\r\ndef beta():\r\n    return 2\r\n",
		"import os\nimport sys\ndef alpha():\n    return 1\n\ndef beta():\n    return 2\n",
		"def alpha():\n    return 1\n\ndef beta():\n    return 22\n",
	} {
		r := anchors.NewTable([]byte(text)).Resolve(sel, &known, nil)
		fmt.Println(r.Outcome, r.Span, r.Copies, r.Checked)
	}

	_, err = anchors.ParseSelector("5:4")
	fmt.Println(err)
	// Output:
	// 4:5@07407f1c
	// verified 4:5 1 full
	// relocated 6:7 1 full
	// lost 0:0 0 full
	// invalid span '5:4': need 1 <= A <= B
}

func ExampleTable_Line() {
	t := anchors.NewTable([]byte("def beta():\r\n    return 2"))
	for n := 1; n <= t.Len(); n++ {
		fmt.Printf("L%d:%s| %s\n", n, t.Tag(n), t.Line(n))
	}
	// Output:
	// L1:78| def beta():
	// L2:56|     return 2
}
