//go:build unix && !linux

package watch

func openBelow(root int, names []string) (int, error) { return walkBelow(root, names) }
