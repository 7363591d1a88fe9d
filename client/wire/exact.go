package wire

import "encoding/base64"

// Exact is a string of an answer with the bytes that it has: JSON cannot carry what is not UTF-8, and then these are in
// the field beside it, in base64.
func Exact(text, inBase64 string) string {
	if b, err := base64.StdEncoding.DecodeString(inBase64); err == nil && len(b) > 0 {
		return string(b)
	}
	return text
}
