//go:build !linux

package watch

// remoteName matters where events are used, on Linux.
func remoteName(int) string { return "" }
