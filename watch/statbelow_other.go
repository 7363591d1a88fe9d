//go:build !linux

package watch

import "golang.org/x/sys/unix"

// StatBelow exists on Linux only.
func StatBelow(int, string) (Stat, error) { return Stat{}, unix.ENOSYS }

// OpenBelow exists on Linux only.
func OpenBelow(int, string) (int, error) { return -1, unix.ENOSYS }

// StraightDir tells on Linux only.
func StraightDir(string) bool { return false }
