package wire

import "testing"

func TestOlder(t *testing.T) {
	// In the order of Semantic Versioning, section 11.
	order := []string{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
		"1.0.0-beta.11", "1.0.0-rc.1", "v1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0+build"}
	for i, a := range order {
		for j, b := range order {
			if got := Older(a, b); got != (i < j) {
				t.Errorf("Older(%s, %s) = %v", a, b, got)
			}
		}
	}
	for _, odd := range []string{"", "devel", "1.2", "1.2.3.4", "1.x.0", "-1.0.0"} {
		if Older(odd, "1.0.0") || Older("1.0.0", odd) {
			t.Errorf("%q is compared", odd)
		}
	}
	if Older("1.0.0+a", "1.0.0+b") || Older("1.0.0+b", "1.0.0+a") {
		t.Error("builds are compared")
	}
}
