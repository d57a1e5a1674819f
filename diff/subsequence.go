package diff

// match is an item of two lists: its place in the one and in the other.
type match struct{ from, to int }

// maxTable bounds the table by which the longest common subsequence is found; what is larger is cut at items that both
// lists have once.
const maxTable = 1 << 22

// subsequence returns the longest common subsequence of two lists, ascending.
func subsequence(from, to []string) []match {
	begin := 0
	for begin < len(from) && begin < len(to) && from[begin] == to[begin] {
		begin++
	}
	end := 0
	for end < len(from)-begin && end < len(to)-begin && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	out := make([]match, 0, begin+end)
	for i := range begin {
		out = append(out, match{i, i})
	}
	for _, m := range between(from[begin:len(from)-end], to[begin:len(to)-end]) {
		out = append(out, match{m.from + begin, m.to + begin})
	}
	for i := end; i > 0; i-- {
		out = append(out, match{len(from) - i, len(to) - i})
	}
	return out
}

// between is subsequence for lists that begin and end differently.
func between(from, to []string) []match {
	wide := len(to) + 1
	if len(from) == 0 || len(to) == 0 {
		return nil
	}
	if len(from)+1 > maxTable/wide {
		return betweenAnchors(from, to)
	}
	length := make([]int32, (len(from)+1)*wide) // of the longest one from each pair of places on
	for i := len(from) - 1; i >= 0; i-- {
		for k := len(to) - 1; k >= 0; k-- {
			if from[i] == to[k] {
				length[i*wide+k] = length[(i+1)*wide+k+1] + 1
			} else {
				length[i*wide+k] = max(length[(i+1)*wide+k], length[i*wide+k+1])
			}
		}
	}
	var out []match
	for i, k := 0, 0; i < len(from) && k < len(to); {
		switch {
		case from[i] == to[k]:
			out = append(out, match{i, k})
			i, k = i+1, k+1
		case length[(i+1)*wide+k] >= length[i*wide+k+1]:
			i++
		default:
			k++
		}
	}
	return out
}
