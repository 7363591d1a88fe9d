package index

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// What no text of C or C++ may hold whatever its macros stand for, as far as tokens tell. Grammars are lost in macros;
// these rules are not.

// cSigns are the operators of several characters, the longer first.
var cSigns = []string{"<=>", "<<=", ">>=", "->*", "...", "::", "->", "++", "--", "<<", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ".*", "##"}

// munch joins the characters of operators. >> may be two ends of lists, and is left as it is.
func munch(src []byte, tokens []cToken) []cToken {
	joined := make([]cToken, 0, len(tokens))
	for i := 0; i < len(tokens); {
		k := tokens[i]
		if n := numberLength(src, tokens[i:]); n > 0 {
			k.end = tokens[i+n-1].end
			joined = append(joined, k)
			i += n
			continue
		}
		for _, sign := range cSigns {
			n := len(sign)
			if i+n > len(tokens) || tokens[i+n-1].end-k.start != n || tokens[i+n-1].directive != k.directive || string(src[k.start:k.start+n]) != sign {
				continue
			}
			if k.end-k.start > 1 {
				break
			}
			k.end = k.start + n
			i += n - 1
			break
		}
		joined = append(joined, k)
		i++
	}
	return joined
}

// numberLength is how many tokens make up the number that the first of them begins: 1, . and 5e, - and 3; 0 for no number.
func numberLength(src []byte, tokens []cToken) int {
	digit := func(i int) bool { return i < len(src) && '0' <= src[i] && src[i] <= '9' }
	if start := tokens[0].start; !digit(start) && !(src[start] == '.' && digit(tokens[0].end)) {
		return 0
	}
	n := 1
	for n < len(tokens) && tokens[n].start == tokens[n-1].end {
		c, e := src[tokens[n].start], src[tokens[n].start-1]|0x20
		signed := (c == '+' || c == '-') && (e == 'p' || e == 'e' && !hexadecimal(src, tokens[0].start))
		if !IsWord(c) && c != '.' && !signed {
			break
		}
		n++
	}
	return n
}

func hexadecimal(src []byte, at int) bool {
	return src[at] == '0' && at+1 < len(src) && src[at+1]|0x20 == 'x'
}

// cBetween are the operators that stand between two operands, but for those that may also begin one.
var cBetween = wordsOf("= == != <= >= += -= *= /= %= &= |= ^= <<= >>= / % | || ^ ? -> .")

// cTypes are the words of types, behind which nothing begins anew.
var cTypes = wordsOf("void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t char32_t")

// cKeywords are words that no macro or variable is likely to have.
var cKeywords = wordsOf(`alignas alignof asm auto bool break case catch char class concept const consteval constexpr constinit const_cast
	continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for
	friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public register reinterpret_cast
	requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
	typedef typeid typename union unsigned using virtual void volatile while restrict`)

// cOnce are words that may not stand twice in a row.
var cOnce = wordsOf(`break case catch class const_cast continue default delete do dynamic_cast enum explicit for friend goto if
	namespace operator private protected public reinterpret_cast return sizeof static_cast struct switch template this throw try typedef
	typename union using virtual while bool char double float int void wchar_t`)

// cReserved are words that are no names in C either, cSpecifiers those that begin a declaration and no value, cScoped those that may
// stand behind ::, and cStatements those that begin something in C++.
var (
	cReserved = wordsOf(`auto break case char const continue default do double else enum extern float for goto if int long register
		return short signed sizeof static struct switch typedef union unsigned void volatile while`)
	cSpecifiers = wordsOf("static extern inline virtual explicit mutable register")
	cScoped     = wordsOf("operator new delete template decltype concept requires restrict consteval constinit co_await co_return co_yield")
	cStatements = wordsOf("using typedef return if for while case break continue namespace else do goto switch public private protected friend")
)

// cNumber is what a number may be: digits, then a suffix that is short or the user's own.
var cNumber = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F']*\.?[0-9a-fA-F']*(?:[pP][+-]?[0-9']+)?|0[bB][01']+|[0-9']*\.?[0-9']*(?:[eE][+-]?[0-9']+)?)(?:_\w*|[a-wyzA-WYZ]{0,4}|[a-zA-Z]{1,2}[0-9]{1,3}(?:x|_t)?)$`)

// plainTokens are the tokens outside of directives.
func plainTokens(src []byte, all []cToken) []cToken {
	return munch(src, slices.DeleteFunc(slices.Clone(all), func(k cToken) bool { return k.directive }))
}

// tokenAt is the token that begins at an offset, -1 for none.
func tokenAt(tokens []cToken, offset uint32) int {
	i, found := slices.BinarySearchFunc(tokens, int(offset), func(k cToken, at int) int { return k.start - at })
	if !found {
		return -1
	}
	return i
}

// cTokenFaults looks at the tokens outside of directives.
func cTokenFaults(src []byte, all []cToken, cpp bool) []Fault {
	tokens := plainTokens(src, all)
	text := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].text(src)
	}
	var faults []Fault
	at := func(i int, message string) {
		faults = append(faults, Fault{uint32(tokens[i].start), uint32(tokens[i].end), message})
	}
	var heads []bool // of the parentheses that are open: it is that of if, while, for or switch
	var calls []bool // of the same: a name in small letters stands before it, which is no macro of the file
	var sure []bool  // of the same: it is a function of the file, or a member, and no macro of a header
	macros, defined := cMacros(src, all), functions(tokens, text)
	for i := range tokens {
		now, before := text(i), text(i-1)
		dangling := (cBetween[before] || before == "<<") && !aroundOperator(text, i) // an operator with nothing behind it
		switch {
		case (now[0] >= '0' && now[0] <= '9' || now[0] == '.' && len(now) > 1 && now[1] >= '0' && now[1] <= '9') && !cNumber.MatchString(now):
			at(i, ticked(now)+" is no number")
		case blockOf(text, i):
		case now == "(":
			calls = append(calls, before != "" && before[0] >= 'a' && before[0] <= 'z' && strings.ToLower(before) == before && !cKeywords[before] && !macros[before])
			sure = append(sure, defined[before] && !macros[before] || text(i-2) == "." || text(i-2) == "->" || text(i-2) == "::")
			heads = append(heads, before == "if" || before == "while" || before == "switch" || before == "for" || before == "constexpr" && text(i-2) == "if")
		case now == ")" && len(heads) > 0:
			if heads[len(heads)-1] && i+1 < len(tokens) && (cBetween[text(i+1)] || text(i+1) == "," && len(heads) == 1 || text(i+1) == ":") {
				at(i+1, "unexpected "+ticked(text(i+1)))
			}
			if dangling && (heads[len(heads)-1] || calls[len(calls)-1]) {
				at(i, "unexpected `)` behind "+ticked(before))
			}
			heads, calls, sure = heads[:len(heads)-1], calls[:len(calls)-1], sure[:len(sure)-1]
		case now == "," && before == "," && len(calls) > 0 && calls[len(calls)-1] && (sure[len(sure)-1] || tokens[i-1].end == tokens[i].start):
			at(i, "unexpected `,`")
		case now == "::" && before == "::":
			at(i, "unexpected `::`")
		case before == "::" && (now == ">" || now == ";" || now == "]" || now == "}") && !aroundOperator(text, i):
			at(i, "unexpected "+ticked(now)+" behind `::`")
		case cBetween[now] && (cBetween[before] || before == "::") && !aroundOperator(text, i) && !(now == ":" && before == "?"):
			at(i, "unexpected "+ticked(now))
		case (now == ";" || now == "}" || now == ",") && dangling:
			at(i, "unexpected "+ticked(now)+" behind "+ticked(before))
		case cOnce[now] && now == before && (cpp || now != "class"):
			at(i, "unexpected "+ticked(now))
		case (now == "if" || now == "while" || now == "for" || now == "switch") && before != "." && before != "->" && before != "#" &&
			i+1 < len(tokens) && !headFollows(text(i+1)):
			at(i, "missing `(` behind "+ticked(now))
		case now == "&&" && before == "&&" && tokens[i-1].end == tokens[i].start && !aroundOperator(text, i):
			at(i, "unexpected `&&`")
		case cTypes[before] && cBetween[now] && now != "=" && now != ":" && !aroundOperator(text, i),
			before == "." && cReserved[now] && i > 1 && tokens[i-2].end == tokens[i-1].start && behindValue(text(i-2)): // not .long of an assembler
			at(i, "unexpected "+ticked(now)+" behind "+ticked(before))
		case cpp:
			if k, message := cppToken(text, i); message != "" {
				at(k, message)
			}
		}
	}
	faults = append(faults, cProse(src, tokens, macros)...)
	if cpp {
		faults = append(faults, cppAngles(src, tokens)...)
	}
	return faults
}

// cProse finds what was a comment: words in a row, a word before for, a number behind a call; each in one line.
func cProse(src []byte, tokens []cToken, macros map[string]bool) []Fault {
	var faults []Fault
	at := func(k cToken, message string) {
		faults = append(faults, Fault{uint32(k.start), uint32(k.end), "unexpected " + ticked(k.text(src)) + message})
	}
	var names []bool // of the parentheses that are open: a name stands before it, which is no macro of the file
	called := false  // the token before closes one of a name
	words := 0       // in a row
	for i, k := range tokens {
		now, same := k.text(src), i > 0 && bytes.IndexByte(src[tokens[i-1].end:k.start], '\n') < 0
		named := same && plainWord(tokens[i-1].text(src)) && !macros[tokens[i-1].text(src)]
		switch {
		case called && same && now[0] >= '0' && now[0] <= '9':
			at(k, "")
		case now == "for" && named:
			at(k, "")
		}
		called = false
		switch now {
		case "(":
			names = append(names, named)
		case ")":
			if n := len(names); n > 0 {
				called, names = names[n-1], names[:n-1]
			}
		}
		if !same || !plainWord(now) {
			words = 0
		}
		if plainWord(now) {
			if words++; words == 5 && len(names) == 0 {
				at(k, ": so many words make no declaration")
			}
		}
	}
	return faults
}

// plainWord says whether a token is a name, and none that is likely to be a macro's.
func plainWord(text string) bool {
	return text != "" && IsWord(text[0]) && text[0] > '9' && text[0] != '_' && !cKeywords[text] && strings.ToUpper(text) != text
}

// cName says whether a token is a word and no keyword.
func cName(text string) bool {
	return text != "" && IsWord(text[0]) && text[0] > '9' && !cKeywords[text]
}

// cMacros are the names that the directives of a text define.
func cMacros(src []byte, tokens []cToken) map[string]bool {
	macros := map[string]bool{}
	for i := 2; i < len(tokens); i++ {
		if tokens[i].directive && tokens[i-2].first && tokens[i-1].text(src) == "define" {
			macros[tokens[i].text(src)] = true
		}
	}
	return macros
}

// blockOf says whether a block of clang's begins at i: f = ^(int x) { … }.
func blockOf(text func(int) string, i int) bool {
	next := text(i + 1)
	return text(i) == "^" && (next == "(" || next == "{" || cTypes[next] || cTags[next])
}

// inAttribute says whether i stands in [[gnu::const]].
func inAttribute(text func(int) string, i int) bool {
	for k := i; k > i-40 && text(k) != ""; k-- {
		switch text(k) {
		case ";", "{", "}":
			return false
		case "[":
			if text(k-1) == "[" {
				return true
			}
		}
	}
	return false
}

// behindValue says whether a token ends what may have members.
func behindValue(text string) bool { return text == ")" || text == "]" || IsWord(text[0]) }

// aroundOperator says whether the token i-1 or i is the name of an operator, or what a macro is given: operator=;
// COMPARE(==, a, b).
func aroundOperator(text func(int) string, i int) bool {
	if text(i-2) == "operator" || text(i-1) == "operator" {
		return true
	}
	switch text(i - 2) {
	case "(", ",", "[", "##", "": // [=, x] too
		return true
	}
	return false
}

func headFollows(next string) bool {
	switch next {
	case "(", "constexpr", "consteval", "!", "not", "co_await":
		return true
	}
	return IsWord(next[0]) && !cKeywords[next]
}
