package argocd

import "strings"

// Mentions reports whether a message has a text of an Application, and not as a part of a longer word.
func Mentions(message, text string) bool {
	for at := 0; ; {
		found := strings.Index(message[at:], text)
		if found < 0 {
			return false
		}
		begin := at + found
		end := begin + len(text)
		isBegun := begin > 0 && isInWord(message[begin-1]) && text != "" && isInWord(text[0])
		isGoingOn := end < len(message) && text != "" && isInWord(text[len(text)-1]) && isInWord(message[end])
		if !isBegun && !isGoingOn {
			return true
		}
		at = begin + 1
	}
}

func isInWord(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// Subject is more than any text weighs: what a message is about, by its beginning.
const Subject = 1 << 10

// Weight returns how much of a message about an option a text is, 0 where it is not in it: the one that weighs most is
// what the message is about. The name of an option weighs less than any value, where the message does not begin with
// it.
func Weight(message, text string, isName bool) int {
	const least = 3
	_, about, _ := strings.Cut(message, " ") // behind the name of an option
	switch {
	case text != "" && !isName && strings.HasPrefix(about, text+": "):
		return Subject + len(text)
	case len(text) < least || !Mentions(message, text):
		return 0
	case isName && !strings.HasPrefix(strings.TrimPrefix(message, "parameter "), text):
		return 1
	}
	return len(text)
}
