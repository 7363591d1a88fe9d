package lsp

import (
	"path"
	"strings"

	"go.lsp.dev/protocol"
)

// filePath is the absolute path that a URI names; false for what is no file of this machine: another scheme, another
// host, a relative path.
func filePath(uri string) (string, bool) {
	rest, ok := cutFold(uri, "file:")
	if !ok {
		return "", false
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(authority, '/')
		if slash < 0 || slash > 0 && !strings.EqualFold(authority[:slash], "localhost") {
			return "", false
		}
		rest = authority[slash:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	p, ok := unescape(rest)
	if !ok || !strings.HasPrefix(p, "/") || strings.IndexByte(p, 0) >= 0 {
		return "", false
	}
	return path.Clean(p), true
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// unescape decodes percent signs; false when two hex digits do not follow one.
func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		high, low := strings.IndexByte(hexDigits, s[i+1]|0x20), strings.IndexByte(hexDigits, s[i+2]|0x20)
		if high < 0 || low < 0 {
			return "", false
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b), true
}

const hexDigits = "0123456789abcdef"

// fileURI is the URI of an absolute path: what RFC 3986 does not reserve stays as it is.
func fileURI(p string) protocol.DocumentURI {
	var b strings.Builder
	b.WriteString("file://")
	for i := range len(p) {
		c := p[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return protocol.DocumentURI(b.String())
}

// below is the path relative to a directory; false when it is not below it.
func below(dir, p string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
	return rest, ok && rest != ""
}
