package config

import "strings"

// Suggest returns "; did you mean x?" for the nearest of all words, or "" where none is near.
func Suggest(s string, all []string) string { return didYouMean(s, all) }

// SuggestBehind is Suggest for words with a prefix, which makes none of them nearer.
func SuggestBehind(prefix, s string, all []string) string {
	rest := make([]string, len(all))
	for i, word := range all {
		rest[i] = strings.TrimPrefix(word, prefix)
	}
	best := nearWord(strings.TrimPrefix(s, prefix), rest)
	if best == "" {
		return ""
	}
	return "; did you mean " + prefix + best + "?"
}

// didYouMean returns "; did you mean \"x\"?" for the nearest of all words, or "" where none is near.
func didYouMean(s string, all []string) string {
	best := nearWord(s, all)
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// nearWord returns the nearest of all words, or "" where none is near: a third of the letters may differ, and one more
// where both begin alike.
func nearWord(s string, all []string) string {
	var near []string
	for _, w := range all {
		beginsAlike := s != "" && w != "" && lower(s[0]) == lower(w[0])
		if beginsAlike || edits(s, w) <= max(1, len(s)/3) {
			near = append(near, w)
		}
	}
	return Nearest(s, near, len(s)/3+2)
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

// edits counts the insertions, deletions, replacements and swaps of neighbours between a and b, and takes upper and
// lower case as equal.
func edits(a, b string) int {
	row, before, earlier := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	isSame := func(i, j int) bool { return lower(a[i]) == lower(b[j]) }
	for i := range len(a) {
		earlier, before, row = before, row, earlier
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if isSame(i, j) {
				change = 0
			}
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+change)
			if i > 0 && j > 0 && isSame(i, j-1) && isSame(i-1, j) {
				row[j+1] = min(row[j+1], earlier[j-1]+1)
			}
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
