package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogStartsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctxd.log")
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	record := func(i int) string { return fmt.Sprintf("record %03d %s\n", i, strings.Repeat("x", 80)) }
	const limit = 1000
	var all strings.Builder
	for run := range 3 { // three daemons one after another
		l, err := openLog(path, limit)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 15 {
			text := record(run*15 + i)
			all.WriteString(text)
			if _, err := l.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	now, before := read(path), read(path+".1")
	if !strings.HasSuffix(all.String(), before+now) || before == "" || now == "" {
		t.Errorf("the last records are not the last ones written:\n%s---\n%s", before, now)
	}
	if len(now) > limit || len(before) > limit {
		t.Errorf("%d and %d bytes, the limit is %d", len(before), len(now), limit)
	}
	// One record above the limit is written all the same.
	l, err := openLog(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	huge := strings.Repeat("y", 3*limit)
	if _, err := l.Write([]byte(huge)); err != nil || read(path) != huge {
		t.Errorf("a huge record: %v", err)
	}
}
