package index

import "strings"

// What no text of C++ may hold whatever its macros stand for, as far as tokens tell.

// cppToken looks at token i and those around it: the one that is wrong and why; "" when none is.
func cppToken(text func(int) string, i int) (at int, message string) {
	now, before, next := text(i), text(i-1), text(i+1)
	unexpected := func(k int, behind string) (int, string) {
		return k, "unexpected " + ticked(text(k)) + behind
	}
	switch {
	case strings.HasSuffix(now, "_cast") && cKeywords[now] && next != "":
		if next != "<" {
			return i, "missing `<` behind " + ticked(now)
		}
		if k := behindList(text, i+1); k > 0 {
			return unexpected(k, " behind the type of "+ticked(now))
		}
	case now == "template" && next != "":
		return templateFault(text, i)
	case before == "::" && cKeywords[now] && !cScoped[now] && !inAttribute(text, i):
		return unexpected(i, " behind `::`")
	case (before == "&" || before == "*" || before == "+" || before == "-" || cBetween[before] && before != "." && before != "->") && cStatements[now],
		cBetween[before] && before != "->" && before != "." && (cSpecifiers[now] || now == "const" && next == "("):
		if !aroundOperator(text, i) {
			return unexpected(i, " behind "+ticked(before))
		}
	case before == "using" && !IsWord(now[0]) && now != "::" && now != ")" && now != ",":
		return unexpected(i, " behind `using`")
	case now == "{" && (before == "class" || before == "struct") && text(i-2) == "enum":
		return i, "missing a name behind " + ticked("enum "+before)
	case now == before && twice(text, i):
		return unexpected(i, "")
	case before == "->" && plainWord(now) && plainWord(next) && !cBehindType[next]:
		return unexpected(i+1, "")
	}
	return 0, ""
}

// twice says whether the word that i repeats can be no name of its own type there: a<T T>, a a b.
func twice(text func(int) string, i int) bool {
	now, next, head := text(i), text(i+1), text(i-2)
	return cName(now) && next == ">" && head == "<" && text(i-3) != "template" && text(i-3) != "]" || plainWord(now) && plainWord(next)
}

// templateFault looks at what follows the template at i.
func templateFault(text func(int) string, i int) (at int, message string) {
	before, next := text(i-1), text(i+1)
	switch {
	case IsWord(next[0]) && cName(text(i+2)) && (text(i+3) == ">" || text(i+3) == ","):
		return i + 1, "missing `<` behind `template`"
	case !IsWord(next[0]) && next != "<" && next != ")" && next != ",":
		return i + 1, "unexpected " + ticked(next) + " behind `template`"
	case next == "<" && missingComma(text, i+1) > 0:
		k := missingComma(text, i+1)
		return k, "missing `,` before " + ticked(text(k))
	case cTypes[before] && before != "auto":
		return i - 1, "missing `;` behind " + ticked(before)
	}
	return 0, ""
}

// cBehindType are the words that may follow a name: those of functions behind their type, and those that are operators.
var cBehindType = wordsOf("override final requires and or xor and_eq or_eq xor_eq not_eq bitand bitor")

// missingComma finds, in the parameters of a template that begin at i, a second typename in one of them, which is no
// default, or a second name behind typename; 0 for none.
func missingComma(text func(int) string, i int) int {
	angles, depth, given, first := 0, 0, false, true
	for k := i; text(k) != "" && k < i+400; k++ {
		switch now := text(k); now {
		case "<":
			angles++
		case ">":
			if angles--; angles <= 0 && depth == 0 {
				return 0
			}
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ";":
			return 0
		case "=":
			given = true
		case ",":
			if angles == 1 && depth == 0 {
				given, first = false, true
				continue
			}
		case "typename", "class":
			plain := func(k int) bool {
				return text(k) != "" && IsWord(text(k)[0]) && !cKeywords[text(k)] && strings.ToUpper(text(k)) != text(k)
			}
			twice := text(k+1) == text(k+2) && IsWord(text(k + 1)[0]) // T T
			if angles == 1 && depth == 0 && now == "typename" && (plain(k+1) && plain(k+2) || twice && !cKeywords[text(k+1)]) {
				return k + 2
			}
			before := text(k - 1)
			if angles == 1 && depth == 0 && !given && !first && IsWord(before[0]) && !cKeywords[before] && text(k-2) != ">" {
				return k
			}
		}
		first = k == i
	}
	return 0
}

// behindList is the token behind the list that begins at i, where that is no value in parentheses: static_cast<T>>(x); else, and
// where a macro may be given the list, 0.
func behindList(text func(int) string, i int) int {
	angles, depth := 0, 0
	for k := i; text(k) != "" && k < i+100; k++ {
		switch now := text(k); {
		case now == "(" || now == "[":
			depth++
		case now == ")" || now == "]":
			if depth--; depth < 0 {
				return 0
			}
		case now == ";" || now == "{" || now == "}":
			return 0
		case now == "<" && depth == 0:
			angles++
		case now == ">" && depth == 0:
			if angles--; angles > 0 {
				continue
			}
			switch text(k + 1) {
			case "(", ")", ",", "":
				return 0
			}
			return k + 1
		}
	}
	return 0
}
