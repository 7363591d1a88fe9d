package index

import "bytes"

const (
	// maxExplained bounds the tokens before a fault that are looked at, and maxTried the parses that this takes.
	maxExplained = 16
	maxTried     = 8
)

// explained says whether a macro accounts for the fault as well as the text does: where one word of the statement stands for
// nothing, a call for the head of a loop, or a word in capitals for any name, the text has no fault. Of 2,370 files that
// commits of fmt and redis changed three were blamed for such words: static redisAtomic size_t n.
func (p *site) explained(f Fault) bool {
	tokens := plainTokens(p.text, cTokens(p.text))
	last := 0
	for last < len(tokens) && tokens[last].start <= int(f.Start) {
		last++
	}
	tried, depth := 0, 0 // brackets that end behind the token
	for i := last - 1; i >= 0 && i > last-maxExplained && tried < maxTried; i-- {
		k := tokens[i]
		switch k.text(p.text) {
		case ";", "{", "}":
			if i < last-1 {
				return false
			}
		case ")", "]":
			depth++
		case "(", "[":
			depth--
		}
		word := k.text(p.text)
		if !IsWord(word[0]) || word[0] <= '9' || cKeywords[word] || i > 0 && tokens[i-1].text(p.text) == word ||
			i+1 < len(tokens) && tokens[i+1].text(p.text) == word { // nobody writes a macro twice in a row
			continue
		}
		capital := capitals([]byte(word))
		if depth >= 0 || capital {
			if tried++; p.cured(uint32(k.start), uint32(k.end), spaces(len(word))) {
				return true
			}
		}
		if i+1 < len(tokens) && tokens[i+1].text(p.text) == "(" {
			end := cText(p.text).brackets(tokens[i+1].start)
			if tried++; p.cured(uint32(k.start), uint32(end), spaces(1)) {
				return true
			}
		}
		if capital {
			if tried++; p.cured(uint32(k.start), uint32(k.end), string(bytes.ToLower([]byte(word)))) {
				return true
			}
		}
	}
	return false
}

func spaces(n int) string { return string(bytes.Repeat([]byte{' '}, n)) }
