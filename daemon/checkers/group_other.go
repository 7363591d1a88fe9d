//go:build !linux

package checkers

import "syscall"

func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit does not wait where a child cannot be left to be waited for: the group is killed as soon as the command
// has closed its output, and what goes on without output is left alone.
func awaitExit(int) {}
