package redact

import (
	"slices"
	"strings"
)

// hideBlocks hides what stands in YAML in the lines below a name that reads like a secret's: a block, a value that
// begins on a line of its own, and the items of a list. Below stringData it hides everything, for that is a Secret's.
func hideBlocks(text string, hide func(any) string) string {
	var out strings.Builder
	from := 0
	for at := 0; at < len(text); {
		head := readHead(text[at:lineEnd(text, at)])
		at = lineEnd(text, at)
		if !head.isSecret() {
			continue
		}
		start, end := linesBelow(text, at, head)
		if !head.counts(text[start:end]) {
			start, end = inlineBelow(text, at, head)
		}
		if isItem(text[start:end]) {
			start += len("- ")
		}
		if value := text[start:end]; value != "" {
			out.WriteString(text[from:start])
			out.WriteString(hide(value))
			from, at = end, end
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// blockHead is a line of YAML that ends in a name and a colon, or in what begins a block.
type blockHead struct {
	name    string
	column  int  // of the name
	isBlock bool // behind it is | or >
}

// readHead returns no name where a line has a value, or is no entry of a mapping.
func readHead(line string) blockHead {
	trimmed := strings.TrimLeft(line, " \t-")
	name, rest, ok := strings.Cut(trimmed, ":")
	if !ok {
		return blockHead{}
	}
	head := blockHead{name: strings.Trim(name, `"' `), column: len(line) - len(trimmed)}
	for word := range strings.FieldsSeq(rest) {
		switch {
		case word[0] == '#':
			return head
		case head.isBlock || !strings.ContainsRune("|>!&", rune(word[0])):
			return blockHead{}
		case word[0] == '|' || word[0] == '>':
			head.isBlock = true
		}
	}
	return head
}

func (b blockHead) isSecret() bool {
	return b.name != "" && strings.IndexFunc(b.name, func(r rune) bool { return r > 'z' || !isNameByte(byte(r)) }) < 0 &&
		(b.isTable() || IsSecretName(b.name) || isListName(b.name))
}

// isTable reports whether all values below are those of a Secret.
func (b blockHead) isTable() bool { return b.name == "stringData" && !b.isBlock }

// counts reports whether the lines below are secret.
func (b blockHead) counts(below string) bool {
	if below == "" {
		return false
	}
	first, _, _ := strings.Cut(below, "\n")
	first = strings.TrimSpace(first)
	switch {
	case b.isTable():
		return !isSchemaText(below)
	case b.isBlock:
	case isItem(first):
		return isListName(b.name) && !isEntry(strings.TrimLeft(first, "- "))
	case isEntry(first) && !isQuoted(first) || strings.IndexByte("{[<#%", first[0]) >= 0:
		return false
	}
	return isNamed(b.name, below)
}

// inlineBelow returns where the value of a field of inlineFields is, which lies below the name of a secret.
func inlineBelow(text string, at int, head blockHead) (start, end int) {
	if head.isBlock || head.isTable() {
		return at, at
	}
	first, last := linesBelow(text, at, head)
	column := columnOf(text, first)
	for at < last {
		line := text[at:lineEnd(text, at)]
		if m := entry().FindStringSubmatchIndex(line); m != nil && m[3]-m[2] == column &&
			slices.Contains(inlineFields, line[m[4]:m[5]]) && isNamed(head.name, strings.Trim(line[m[6]:m[7]], `"'`)) {
			return inQuotes(text, at+m[6], at+m[7])
		}
		at += len(line)
	}
	return at, at
}

func isItem(line string) bool { return strings.HasPrefix(line, "- ") }

// isEntry reports whether a line is an entry of a mapping.
func isEntry(line string) bool { return strings.HasSuffix(line, ":") || strings.Contains(line, ": ") }

// isQuoted reports whether a line is one value between quotes.
func isQuoted(line string) bool {
	last := len(line) - 1
	return last > 0 && (line[0] == '"' || line[0] == '\'') && strings.IndexByte(line[1:], line[0]) == last-1
}

// isSchemaText reports whether a field is described, and has no values.
func isSchemaText(text string) bool {
	return strings.Contains(text, "additionalProperties:") || strings.Contains(text, "type: object")
}

// linesBelow returns where the lines that belong to a name begin and end, without blanks around them.
func linesBelow(text string, at int, head blockHead) (start, end int) {
	start, end = at, at
	for at < len(text) {
		next := lineEnd(text, at)
		line := strings.TrimRight(text[at:next], " \t\r\n")
		inner := strings.TrimLeft(line, " \t")
		column := len(line) - len(inner)
		if inner != "" {
			if column < head.column || column == head.column && (head.isBlock || !isItem(inner)) {
				break
			}
			if start == end {
				start = at + column
			}
			end = at + len(line)
		}
		at = next
	}
	return start, end
}

// lineEnd returns where the line after the one of a position begins.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}
