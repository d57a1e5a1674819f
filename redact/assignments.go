package redact

import "strings"

// assignments are those of an entry of a table, in languages that have a sign of their own for it.
var assignments = []form{
	{[]string{"=>"}, pattern(`(?:^|[\s{(,:"'])` + named + `["']?[ \t]*=>[ \t]*("[^"\n]+"|'[^'\n]+')`)},
	{[]string{"] =", "]="}, pattern(`\[[:"']` + named + `["']?\][ \t]*=[ \t]*("[^"\n]+"|'[^'\n]+')`)},
}

// hideAssignments hides what is assigned to an entry with a name that reads like a secret's, and a text that begins on
// the line behind such a name and ends with a word of its own.
func hideAssignments(text string, hide func(any) string) string {
	for i := range assignments {
		if assignments[i].mayBeIn(text) {
			text = hideMatches(assignments[i].secret(), text, hide, isNamed)
		}
	}
	if !strings.Contains(text, "<<") {
		return text
	}
	var out strings.Builder
	from := 0
	for _, at := range textOfName().FindAllStringSubmatchIndex(text, -1) {
		start, length := at[1], 0
		for line := range strings.Lines(text[start:]) {
			if strings.TrimSpace(line) == text[at[4]:at[5]] {
				break
			}
			length += len(line)
		}
		value := strings.Trim(text[start:start+length], "\r\n")
		if start < from || !IsSecretName(text[at[2]:at[3]]) || value == "" {
			continue
		}
		out.WriteString(text[from:start])
		out.WriteString(hide(value))
		from = start + len(value)
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// isBegin matches what begins such a text, which is no value.
var isBegin = pattern(`^<<[-~]?["']?[A-Za-z_]+["']?$`)

// textOfName is a line that ends in the word with which the text behind it will end.
var textOfName = pattern(`(?m)^[ \t]*["']?` + named + `["']?[ \t]*=[ \t]*<<[-~]?["']?([A-Za-z_]+)["']?[ \t]*\r?\n`)
