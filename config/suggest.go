package config

// Suggest returns "; did you mean x?" for the nearest of all words, or "" where none is near.
func Suggest(s string, all []string) string { return didYouMean(s, all) }

// didYouMean returns "; did you mean \"x\"?" for the nearest of all words, or "" where none is near.
func didYouMean(s string, all []string) string {
	best := Nearest(s, all, len(s)/3+2)
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// Nearest returns the first of the words that differ the least from one, in fewer than so many letters; "" where none
// does. Upper and lower case are equal.
func Nearest(to string, all []string, letters int) (best string) {
	for _, w := range all {
		if d := edits(to, w); d < letters {
			best, letters = w, d
		}
	}
	return best
}

// edits counts the insertions, deletions and replacements between a and b, and takes upper and lower case as equal.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if lower(a[i]) == lower(b[j]) {
				change = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+change)
		}
	}
	return row[len(b)]
}

// lower returns an ASCII letter in lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
