//go:build !linux

package watch

import "golang.org/x/sys/unix"

// StatBelow exists on Linux only.
func StatBelow(int, string) (Stat, error) { return Stat{}, unix.ENOSYS }
