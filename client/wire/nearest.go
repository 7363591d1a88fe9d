package wire

// Nearest is the first of names that is spelt most like word: at most two bytes of it, and not all,
// are put in, left out or exchanged. "" where there is none. It is for a refusal to suggest, never to act on.
func Nearest(word string, names []string) string {
	best, distance := "", min(3, len(word))
	for _, name := range names {
		if d := edits(word, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// edits is the Levenshtein distance of two short words, by the method of Wagner and Fischer
// (1974), in bytes.
func edits(a, b string) int {
	if len(a) > 32 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal, row[j] = row[j], min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
