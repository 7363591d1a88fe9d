package daemon

import (
	"fmt"

	"ctxd/client/wire"
)

// refuse makes the typed refusal of a request: a stable word, a message that says what, where and
// what to do next, and calls that can be made.
func refuse(word wire.Word, suggestions []string, format string, args ...any) *wire.Error {
	return wire.NewError(wire.ErrorData{
		Error:       word,
		Message:     fmt.Sprintf(format, args...),
		Suggestions: suggestions,
	})
}

// refusePath is refuse for one path, which the data names.
func refusePath(word wire.Word, path string, suggestions []string, format string, args ...any) *wire.Error {
	err := refuse(word, suggestions, format, args...)
	err.Data.Path, err.Data.PathBase64 = displayPath(path), exactPath(path)
	return err
}
