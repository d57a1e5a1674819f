package lint

import (
	"encoding/json"
	"strings"
)

// jqPaths returns the paths that an expression of jq selects, as far as they can be read without running it: those of
// a, b and of a | b are. Where something else follows a path, such as a filter of its entries, the path itself counts.
func jqPaths(text string) (out [][]string) {
	rest := strings.TrimSpace(text)
	for strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, getPath) {
		var steps []string
		if strings.HasPrefix(rest, getPath) {
			steps, rest = jqArgument(rest)
		} else {
			steps, rest = jqSteps(rest)
		}
		for strings.HasPrefix(rest, "|") && strings.HasPrefix(strings.TrimSpace(rest[1:]), ".") {
			var more []string
			more, rest = jqSteps(strings.TrimSpace(rest[1:]))
			steps = append(steps, more...)
		}
		out = append(out, steps)
		if !strings.HasPrefix(rest, ",") {
			return out
		}
		rest = strings.TrimSpace(rest[1:])
	}
	return out
}

// getPath is how a function of jq begins that takes a path as a list.
const getPath = "getpath("

// jqArgument reads one path that is the list in a call of getpath; none where it is made by an expression.
func jqArgument(text string) (steps []string, rest string) {
	list, rest, _ := strings.Cut(strings.TrimPrefix(text, getPath), ")")
	if json.Unmarshal([]byte(list), &steps) != nil || len(steps) == 0 {
		return []string{list}, ""
	}
	more, rest := jqSteps(strings.TrimSpace(rest))
	return append(steps, more...), rest
}

// jqSteps reads one path from the beginning of a text: .a."b"["c"][]?.
func jqSteps(text string) (steps []string, rest string) {
	for rest = text; rest != ""; {
		switch {
		case rest[0] == '?' || rest[0] == '.' && (len(rest) == 1 || strings.ContainsRune(`." [`, rune(rest[1]))):
			if len(rest) > 1 && rest[0] == '.' && rest[1] == '"' {
				step, after, ok := strings.Cut(rest[2:], `"`)
				if !ok {
					return steps, ""
				}
				steps, rest = append(steps, step), after
				continue
			}
			rest = rest[1:]
		case rest[0] == '.':
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			if n == 1 {
				return steps, strings.TrimSpace(rest[1:])
			}
			steps, rest = append(steps, rest[1:n]), rest[n:]
		case rest[0] == '[':
			inner, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				return steps, ""
			}
			if inner = strings.Trim(strings.TrimSpace(inner), `"`); inner == "" {
				inner = everyEntry
			}
			steps, rest = append(steps, inner), after
		default:
			return steps, strings.TrimSpace(rest)
		}
	}
	return steps, rest
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
