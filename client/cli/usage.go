package cli

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
)

// overview is the text of ctx help.
func overview() []byte {
	var b bytes.Buffer
	b.WriteString("usage: ctx VERB [flags] [arguments]\n\n" +
		"Where a symbol is defined, and what stands there: as it was, and as it is now.\n\n")
	for _, v := range verbs() {
		a := v.about()
		fmt.Fprintf(&b, "  %-12s %s\n", a.name, a.summary)
	}
	b.WriteString("\nflags of every verb:\n")
	fs := newFlags("")
	(&command{timeout: duration(defaultTimeout)}).flags(fs)
	writeFlags(&b, fs)
	b.WriteString("\nexit status: 0 done, 1 ctx itself failed, 2 refused (a lost anchor, an unknown symbol),\n" +
		"3 the thing asked about failed, 124 timed out\n" +
		"\nctx help VERB says more about one of them.\n")
	return b.Bytes()
}

// usage is the text of ctx help VERB.
func usage(v verb) []byte {
	a := v.about()
	var b bytes.Buffer
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", strings.TrimSpace("ctx "+a.name+" [flags] "+a.args), a.summary)
	if a.text != "" {
		b.WriteString("\n" + strings.TrimSpace(a.text) + "\n")
	}
	own := newFlags(a.name)
	v.flags(own)
	if hasFlags(own) {
		b.WriteString("\nflags:\n")
		writeFlags(&b, own)
	}
	b.WriteString("\nflags of every verb: --root DIR, --json, --timeout D, --no-sync (ctx help)\n")
	if len(a.examples) > 0 {
		b.WriteString("\nexamples:\n")
		for _, example := range a.examples {
			b.WriteString("  " + example + "\n")
		}
	}
	return b.Bytes()
}

func hasFlags(fs *flag.FlagSet) bool {
	any := false
	fs.VisitAll(func(*flag.Flag) { any = true })
	return any
}

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func writeFlags(b *bytes.Buffer, fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		name := dashed(f.Name)
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, "  %-22s %s", name, text)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			fmt.Fprintf(b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	})
}
