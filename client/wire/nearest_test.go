package wire

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"c", "go", "python", "protobuf"}
	for word, want := range map[string]string{"pyhton": "python", "pythn": "python", "python": "python", "golang": "", "": "", "x": "", "cobol": "", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": ""} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
