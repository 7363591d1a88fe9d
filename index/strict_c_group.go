package index

import "slices"

// living are the tokens without those in groups that the preprocessor drops whatever is defined: behind #if 0, and behind the
// #else of #if 1. What stands there may be prose.
func living(src []byte, tokens []cToken) []cToken {
	alive := make([]cToken, 0, len(tokens))
	var groups []string // of the #if that are open what they ask
	dead := 0           // how many were open when the dead group began, and it; 0: this one lives
	for i := 0; i < len(tokens); {
		end := i + 1
		for tokens[i].first && end < len(tokens) && tokens[end].directive && !tokens[end].first {
			end++
		}
		word, asks, lives := "", "", dead == 0
		if tokens[i].first && end > i+1 {
			word = tokens[i+1].text(src)
		}
		if end == i+3 {
			asks = tokens[i+2].text(src)
		}
		switch word {
		case "if", "ifdef", "ifndef":
			groups = append(groups, word+" "+asks)
			if dead == 0 && word == "if" && asks == "0" {
				dead = len(groups)
			}
		case "elif", "else", "elifdef", "elifndef":
			if n := len(groups); n == 0 {
				break
			} else if dead == n && groups[n-1] == "if 0" {
				dead, lives = 0, true
				groups[n-1] = ""
			} else if dead == 0 && groups[n-1] == "if 1" {
				dead = n
			}
		case "endif":
			n := len(groups)
			if dead == n {
				dead, lives = 0, true
			}
			groups = groups[:max(0, n-1)]
		}
		if lives {
			alive = append(alive, tokens[i:end]...)
		}
		i = end
	}
	return alive
}

// headerName is the length of the <name> that stands at i in a condition: __has_include(<net/if.h>); 0 for none, and where
// nothing closes it. What it holds are no tokens.
func headerName(src []byte, body []cToken, i int) (n int, open bool) {
	if i == 0 || body[i].text(src) != "<" || body[i-1].text(src) != "(" {
		return 0, false
	}
	n = slices.IndexFunc(body[i:], func(k cToken) bool { return src[k.start] == '>' || src[k.start] == ')' })
	if n < 0 || src[body[i+n].start] == ')' {
		return 0, true
	}
	return n + 1, false
}

// unclosedName blames a < in a condition that begins a header's name and has no end.
func unclosedName(src []byte, body []cToken) []Fault {
	for i, k := range body {
		if _, open := headerName(src, body, i); open {
			return []Fault{{uint32(k.start), uint32(k.end), "unclosed `<`"}}
		}
	}
	return nil
}

// withoutNames is a condition without the names of headers.
func withoutNames(src []byte, body []cToken) []cToken {
	left := make([]cToken, 0, len(body))
	for i := 0; i < len(body); {
		if n, _ := headerName(src, body, i); n > 0 {
			i += n
			continue
		}
		left = append(left, body[i])
		i++
	}
	return left
}

// typedefs are the names that typedefs of the text end with. In C a member may have the name of its type: mode mode;
func typedefs(src []byte, tokens []cToken) map[string]bool {
	names := map[string]bool{}
	depth, inside := 0, false
	for i, k := range tokens {
		switch k.text(src) {
		case "typedef":
			depth, inside = 0, true
		case "{":
			depth++
		case "}":
			depth--
		case ";":
			if inside && depth <= 0 {
				names[tokens[i-1].text(src)] = true
				inside = false
			}
		}
	}
	return names
}

// functions are the names that the text defines with a body: no macros.
func functions(tokens []cToken, text func(int) string) map[string]bool {
	names := map[string]bool{}
	var open []int
	for i := range tokens {
		switch text(i) {
		case "(":
			open = append(open, i)
		case ")":
			if n := len(open); n > 0 {
				if name := text(open[n-1] - 1); text(i+1) == "{" && cName(name) {
					names[name] = true
				}
				open = open[:n-1]
			}
		}
	}
	return names
}

// balanceable is what a macro's definition stands for, without the brackets that it is there to give: a closing one that begins
// it, an opening one that ends it, as in #define LPAREN() (.
func balanceable(src []byte, body []cToken) []cToken {
	start := 1 // behind the name
	if len(body) > 1 && body[1].text(src) == "(" && body[1].start == body[0].end {
		start = 1 + slices.IndexFunc(body, func(k cToken) bool { return k.text(src) == ")" })
		if start == 0 {
			return body
		}
	}
	value := body[start:]
	if len(value) > 0 && (value[0].text(src) == ")" || value[0].text(src) == "]") {
		value = value[1:]
	}
	if n := len(value); n > 0 && (value[n-1].text(src) == "(" || value[n-1].text(src) == "[") {
		value = value[:n-1]
	}
	return value
}
