//go:build race

package main_test

// raceEnabled: the binaries under test are built with the race detector as well.
const raceEnabled = true
