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
