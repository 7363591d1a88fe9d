package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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

// decodeParams reads the parameters of a method, which may be left out.
func decodeParams(params json.RawMessage, p any) error {
	if len(params) == 0 {
		return nil
	}
	err := wire.Unmarshal(params, p)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return refuse(wire.InvalidRequest, nil, "malformed parameters: %v", err)
	}
	// The names of Go's fields and types are nothing to a caller.
	field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
	if field == "" {
		return refuse(wire.InvalidRequest, nil, "malformed parameters: an object is expected, not %s", wrong.Value)
	}
	return refuse(wire.InvalidRequest, nil, "malformed parameters: %s takes no %s", field, wrong.Value)
}
