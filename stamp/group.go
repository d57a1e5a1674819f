package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/refs"
)

// groupByObject moves references so that those to one object follow each other, in the order of the first of each.
// Nearly always there are few, and moving them costs less than a map.
func groupByObject(references []refs.Reference) {
	const few = 64
	if len(references) > few {
		sortByObject(references)
		return
	}
	for begin := 0; begin < len(references); {
		end := begin + groupLen(references[begin:])
		for i := end + 1; i < len(references); i++ {
			if sameObject(&references[begin], &references[i]) {
				r := references[i]
				copy(references[end+1:i+1], references[end:i])
				references[end] = r
				end++
			}
		}
		begin = end
	}
}

// sortByObject is groupByObject for many references.
func sortByObject(references []refs.Reference) {
	first := make(map[[3]string]int, len(references))
	id := func(r *refs.Reference) [3]string { return [3]string{r.Kind, r.Namespace, r.Name} }
	for i := range references {
		if _, known := first[id(&references[i])]; !known {
			first[id(&references[i])] = i
		}
	}
	slices.SortStableFunc(references, func(a, b refs.Reference) int { return first[id(&a)] - first[id(&b)] })
}

// groupLen returns how many references at the beginning are to one object. There is at least one reference.
func groupLen(references []refs.Reference) int {
	n := 1
	for n < len(references) && sameObject(&references[0], &references[n]) {
		n++
	}
	return n
}

// countGroups returns to how many objects references are that groupByObject has moved.
func countGroups(references []refs.Reference) (groups int) {
	for len(references) > 0 {
		references = references[groupLen(references):]
		groups++
	}
	return groups
}

func sameObject(a, b *refs.Reference) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Namespace == b.Namespace
}
