package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
)

// completionVerb prints a script that makes a shell complete verbs, flags and files. It is made
// from the verbs themselves.
type completionVerb struct{}

func (*completionVerb) about() about {
	return about{name: "completion", args: "bash|zsh|fish", summary: "a script that makes a shell complete ctx",
		examples: []string{
			"eval \"$(ctx completion bash)\"",
			"ctx completion zsh > ~/.zfunc/_ctx",
			"ctx completion fish > ~/.config/fish/completions/ctx.fish",
		}}
}

func (*completionVerb) flags(*flag.FlagSet) {}

func (*completionVerb) run(_ context.Context, c *command, args []string) error {
	if len(args) != 1 {
		return one(args, "the shell (bash, zsh or fish)", "ctx help completion")
	}
	switch args[0] {
	case "bash":
		return c.print(bashCompletion())
	case "zsh":
		return c.print(zshCompletion())
	case "fish":
		return c.print(fishCompletion())
	}
	return &usageError{problem: fmt.Sprintf("no completion for the shell %q: bash, zsh or fish", args[0]), hint: "ctx help completion"}
}

// flagNames are the flags of a verb, and those of every verb.
func flagNames(v verb) []string {
	var names []string
	fs := newFlags("")
	v.flags(fs)
	(&command{}).flags(fs)
	fs.VisitAll(func(f *flag.Flag) { names = append(names, dashed(f.Name)) })
	return names
}

func bashCompletion() []byte {
	var b bytes.Buffer
	b.WriteString(`_ctx() {
	local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
`)
	fmt.Fprintf(&b, "\t\tCOMPREPLY=($(compgen -W '%s' -- \"$word\"))\n\t\treturn\n\tfi\n", strings.Join(verbNames(), " "))
	b.WriteString("\tcase $word in -*)\n\t\tcase $verb in\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "\t\t%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", v.about().name, strings.Join(flagNames(v), " "))
	}
	b.WriteString("\t\tesac\n\t\treturn\n\tesac\n\tcase $verb in\n")
	fmt.Fprintf(&b, "\thelp) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", strings.Join(verbNames(), " "))
	b.WriteString("\tcompletion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n\tesac\n}\ncomplete -o default -F _ctx ctx\n")
	return b.Bytes()
}

func zshCompletion() []byte {
	var b bytes.Buffer
	b.WriteString("#compdef ctx\n_ctx() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a verbs=(\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "\t\t\t%s\n", quoted(v.about().name+":"+v.about().summary))
	}
	b.WriteString("\t\t)\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n\tif [[ $words[CURRENT] == -* ]]; then\n\t\tcase $words[2] in\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "\t\t%s) compadd -- %s ;;\n", v.about().name, strings.Join(flagNames(v), " "))
	}
	fmt.Fprintf(&b, "\t\tesac\n\t\treturn\n\tfi\n\tcase $words[2] in\n\thelp) compadd -- %s ;;\n", strings.Join(verbNames(), " "))
	b.WriteString("\tcompletion) compadd -- bash zsh fish ;;\n\t*) _files ;;\n\tesac\n}\nif [[ $funcstack[1] == _ctx ]]; then\n\t_ctx\nelse\n\tcompdef _ctx ctx\nfi\n")
	return b.Bytes()
}

func fishCompletion() []byte {
	var b bytes.Buffer
	for _, v := range verbs() {
		a := v.about()
		fmt.Fprintf(&b, "complete -c ctx -n __fish_use_subcommand -f -a %s -d %s\n", a.name, quoted(a.summary))
		fs := newFlags("")
		v.flags(fs)
		(&command{}).flags(fs)
		fs.VisitAll(func(f *flag.Flag) {
			value, text := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "complete -c ctx -n '__fish_seen_subcommand_from %s' -l %s", a.name, f.Name)
			if value != "" {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", quoted(text))
		})
	}
	fmt.Fprintf(&b, "complete -c ctx -n '__fish_seen_subcommand_from help' -f -a %s\n", quoted(strings.Join(verbNames(), " ")))
	b.WriteString("complete -c ctx -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n")
	return b.Bytes()
}

// quoted is text in single quotes; both shells read a quote as '\”.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
