package index

// instantiation removes template class vector<int>; which defines nothing, and which the grammar takes
// only in its plainest form.
func (m *macroReader) instantiation() {
	end := m.at
	for end < len(m.cText) && m.cText[end] != ';' && m.cText[end] != '{' && m.cText[end] != '}' {
		end = m.skip(m.token(end))
	}
	if m.at0(end) == ';' {
		end++
	}
	blank(m.cText[m.begin:end]) // with extern
	m.at = end
	m.next()
}

// access reads public: and Qt's public slots: and signals:.
func (m *macroReader) access(end int) {
	next := m.skip(end)
	switch {
	case m.at0(next) == ':' && m.at0(next+1) != ':':
		if m.cText[m.at] == 's' {
			m.put(m.at, end, "public")
		}
		m.at = next + 1
		m.next()
	case next < len(m.cText) && IsWord(m.cText[next]):
		if slots := m.token(next); m.at0(m.skip(slots)) == ':' {
			blank(m.cText[next:slots])
		}
		m.at = m.skip(end)
	default:
		m.at = next
	}
}

// template steps over <…> and makes parameters of calls: template <typename T, ENABLE_IF(x<T>::value)>.
func (m *macroReader) template(at int) int {
	at = m.skip(at)
	if m.at0(at) != '<' {
		return at
	}
	depth := 0
	for at < len(m.cText) {
		switch b := m.cText[at]; b {
		case '<':
			depth++
		case '>':
			if m.cText[at-1] != '-' {
				depth--
			}
			if depth == 0 {
				return at + 1
			}
		case '(':
			at = m.skip(m.brackets(at))
			continue
		case ';', '{', '}':
			return at
		}
		end := m.token(at)
		if next := m.skip(end); depth == 1 && capitals(m.cText[at:end]) && m.at0(next) == '(' {
			end = m.brackets(next)
			m.put(at, end, "int")
		}
		at = m.skip(end)
	}
	return at
}

// groupHead reads from class, struct, union, enum or namespace to the name.
func (m *macroReader) groupHead(keyword []byte, at int) {
	m.group = keyword
	if keyword[0] == 'e' {
		m.group = nil // its braces declare nothing that needs help
	}
	for at = m.skip(at); at < len(m.cText); {
		if m.cText[at] == '[' {
			at = m.skip(m.brackets(at))
			continue
		}
		if !IsWord(m.cText[at]) {
			break
		}
		end := m.token(at)
		text := m.cText[at:end]
		next := m.skip(end)
		switch {
		case m.at0(next) == '(': // alignas(8), EXPORT(x)
			close := m.brackets(next)
			next = m.skip(close)
			if next < len(m.cText) && IsWord(m.cText[next]) {
				blank(m.cText[at:close])
				at = next
				continue
			}
			m.at, m.prev = end, afterName
			return
		case keyword[0] == 'e' && (string(text) == "class" || string(text) == "struct"):
			at = next
			continue
		case next < len(m.cText) && IsWord(m.cText[next]) && m.named(next, capitals(text), 4):
			blank(m.cText[at:end])
			at = next
			continue
		}
		m.class = text
		m.at, m.prev = end, afterName
		return
	}
	m.at, m.prev = at, elsewhere
}

// named says whether the word at at is the name of a class that begins, and the word before it, which
// may be in capitals, is none: class EXPORT W {, but not struct point p = {0}. There may be more words
// like it.
func (m *macroReader) named(at int, capital bool, more int) bool {
	end := m.token(at)
	if string(m.cText[at:end]) == "final" {
		return false
	}
	next := m.skip(end)
	switch b := m.at0(next); {
	case b == '{':
		return true
	case b == ':':
		return capital || m.at0(next+1) == ':'
	case b == '<':
		return capital
	case IsWord(b):
		return string(m.cText[next:m.token(next)]) == "final" || capital && more > 0 && m.named(next, true, more-1)
	}
	return false
}
