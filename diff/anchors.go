package diff

import (
	"cmp"
	"slices"
)

// betweenAnchors returns a common subsequence of lists that are too long for a table: items that both have once, in an
// order that is the same in both, and what lies between them.
func betweenAnchors(from, to []string) (out []match) {
	at := match{}
	anchors := ascending(onceInBoth(from, to))
	for _, m := range anchors {
		out = append(shifted(out, at, from[at.from:m.from], to[at.to:m.to]), m)
		at = match{m.from + 1, m.to + 1}
	}
	if len(anchors) == 0 {
		return nil // it is taken for replaced
	}
	return shifted(out, at, from[at.from:], to[at.to:])
}

// shifted appends the common subsequence of two parts that begin at a place.
func shifted(out []match, at match, from, to []string) []match {
	for _, m := range subsequence(from, to) {
		out = append(out, match{m.from + at.from, m.to + at.to})
	}
	return out
}

// onceInBoth returns the items that each of two lists has once, by their places in the first.
func onceInBoth(from, to []string) (out []match) {
	const twice = -1
	places := func(list []string) map[string]int {
		at := make(map[string]int, len(list))
		for i, item := range list {
			if _, had := at[item]; had {
				i = twice
			}
			at[item] = i
		}
		return at
	}
	inFrom, inTo := places(from), places(to)
	for i, item := range from {
		if k, ok := inTo[item]; ok && k != twice && inFrom[item] != twice {
			out = append(out, match{i, k})
		}
	}
	return out
}

// ascending returns a longest part of matches whose places in the second list ascend, too.
func ascending(all []match) []match {
	var ends []int // for each length, the match with the lowest place that ends a part of that length
	before := make([]int, len(all))
	for i, m := range all {
		n, _ := slices.BinarySearchFunc(ends, m.to, func(end, to int) int { return cmp.Compare(all[end].to, to) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([]match, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		out[n] = all[i]
	}
	return out
}
