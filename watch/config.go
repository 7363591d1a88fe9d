package watch

import "strings"

// setting is one assignment of a git configuration file: section.key or section.sub.key, with
// section and key in lower case and the subsection as it stands. bare means "key" with no "=".
type setting struct {
	name, value string
	bare        bool
}

// parseConfig reads git's configuration syntax in order (order decides what an include
// overrides, which go-git's parser does not keep). Lines it cannot read are passed over: the
// ignore rules must not stand or fall with an unrelated line.
func parseConfig(s string) []setting {
	var out []setting
	s = strings.TrimPrefix(s, "\ufeff")
	section := ""
	for s != "" {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			break
		}
		switch s[0] {
		case '#', ';':
			_, s, _ = strings.Cut(s, "\n")
		case '[':
			section, s = parseSection(s[1:])
		default:
			n := 0
			for n < len(s) && (s[n] == '-' || '0' <= s[n] && s[n] <= '9' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z') {
				n++
			}
			key := strings.ToLower(s[:n])
			s = strings.TrimLeft(s[n:], " \t")
			switch {
			case n == 0:
				_, s, _ = strings.Cut(s, "\n")
			case strings.HasPrefix(s, "="):
				var value string
				value, s = parseValue(s[1:])
				out = append(out, setting{name: dotted(section, key), value: value})
			default:
				_, s, _ = strings.Cut(s, "\n")
				out = append(out, setting{name: dotted(section, key), bare: true})
			}
		}
	}
	return out
}

// parseSection reads what follows the "[": the section's name and the rest of the text.
func parseSection(s string) (name, rest string) {
	end := strings.IndexAny(s, "\"]\n")
	if end < 0 {
		return "", ""
	}
	name = strings.ToLower(strings.TrimSpace(s[:end]))
	if s[end] != '"' {
		return name, s[end+1:]
	}
	var sub strings.Builder
	i := end + 1
	for ; i < len(s) && s[i] != '"' && s[i] != '\n'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		sub.WriteByte(s[i])
	}
	_, rest, _ = strings.Cut(s[min(i, len(s)):], "]")
	return name + "." + sub.String(), rest
}

// parseValue reads what follows the "=", up to the end of its line.
func parseValue(s string) (value, rest string) {
	var b strings.Builder
	quoted := false
	end := 0 // what is certain to stay when spaces at the end are dropped
	i := 0
scan:
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n':
			break scan
		case c == '"':
			quoted = !quoted
			end = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			break scan
		case c == '\\' && i+1 == len(s): // the end of the file continues the line to nothing
			continue
		case c == '\\':
			i++
			switch s[i] {
			case '\n':
				continue
			case '\r':
				if i+1 < len(s) && s[i+1] == '\n' {
					i++
					continue
				}
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			default:
				c = s[i]
			}
			b.WriteByte(c)
			end = b.Len()
			continue
		}
		if !quoted && b.Len() == 0 && (c == ' ' || c == '\t' || c == '\r') {
			continue // at the start of a continued line
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' {
			end = b.Len()
		}
	}
	_, rest, _ = strings.Cut(s[i:], "\n")
	return b.String()[:end], rest
}

func dotted(section, key string) string {
	if section == "" {
		return key
	}
	return section + "." + key
}

// truth reads a git boolean.
func (s setting) truth() bool {
	switch strings.ToLower(s.value) {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off", "0":
		return s.bare
	}
	return s.value[0] >= '1' && s.value[0] <= '9' || s.value[0] == '-'
}
