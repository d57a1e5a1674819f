package redact

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// hideInValues hides what is secret in a text among the values of a chart. A mapping in YAML is hidden as a whole where
// hiding by its keys leaves a secret.
func (h hider) hideInValues(text string) string {
	if !hasNamedLine(text) {
		return text
	}
	var decoded map[string]any
	if yaml.Unmarshal([]byte(text), &decoded) == nil && !isHiddenByKeys(text) {
		return h.hide(text)
	}
	return hideByKeys(text, h.hide)
}

func hideByKeys(text string, hide func(any) string) string {
	return HideInText(hideSecretTables(text, hide), hide)
}

// isHiddenByKeys reports whether hideByKeys leaves no value that is hidden where the text is decoded.
func isHiddenByKeys(text string) bool {
	const hidden = "hiddenByItsKey"
	var decoded map[string]any
	text = hideByKeys(text, func(any) string { return hidden })
	if yaml.Unmarshal([]byte(text), &decoded) != nil || hasOtherKeys(decoded) {
		return false
	}
	isLeft := false
	hider{hide: func(v any) string {
		text := strings.TrimSpace(fmt.Sprint(v))
		isLeft = isLeft || text != hidden && !isPlain(text)
		return hidden
	}}.hideNamed(decoded)
	return !isLeft
}

// hasOtherKeys reports whether a mapping has keys that are no texts.
func hasOtherKeys(v any) bool {
	switch v := v.(type) {
	case map[any]any:
		return true
	case map[string]any:
		for _, below := range v {
			if hasOtherKeys(below) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if hasOtherKeys(item) {
				return true
			}
		}
	}
	return false
}

// hideSecretTables hides the values below a table of secrets in a text in YAML.
func hideSecretTables(text string, hide func(any) string) string {
	var out strings.Builder
	from := 0
	for at := 0; at < len(text); {
		head := readHead(text[at:lineEnd(text, at)])
		at = lineEnd(text, at)
		if head.isBlock || !isSecretTable(head.name) {
			continue
		}
		if _, end := linesBelow(text, at, head); end > at {
			out.WriteString(text[from:at])
			out.WriteString(hideEntries(text[at:end], hide))
			from, at = end, end
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

var entry = pattern(`^([ \t]*)["']?([^\s"':#-][^\s"':]*)["']?:[ \t]+("[^"]*"|'[^']*'|[^\s#|>][^\n]*?)(?:[ \t]+#.*)?[ \t\r\n]*$`)

// hideEntries hides the values of a table of secrets, but for switches and what lies below the name of a reference.
func hideEntries(text string, hide func(any) string) string {
	var out strings.Builder
	from, reference := 0, none // the column of a reference, whose lines below stay
	for at := 0; at < len(text); {
		start := at
		at = lineEnd(text, at)
		line := text[start:at]
		column := len(line) - len(strings.TrimLeft(line, " \t"))
		if reference != none && column > reference || strings.TrimSpace(line) == "" {
			continue
		}
		reference = none
		value := [2]int{}
		if head := readHead(line); head.name != "" {
			if isReferenceName(head.name) {
				reference = column
			} else if head.isBlock {
				value[0], value[1] = linesBelow(text, at, head)
			}
		} else if m := entry().FindStringSubmatchIndex(line); m != nil && !isReferenceName(line[m[4]:m[5]]) {
			value = [2]int{start + m[6], start + m[7]}
		}
		if isSwitch(text[value[0]:value[1]]) {
			continue
		}
		first, last := inQuotes(text, value[0], value[1])
		out.WriteString(text[from:first])
		out.WriteString(hide(text[first:last]))
		from, at = last, max(at, last)
	}
	return out.String() + text[from:]
}

// isSwitch reports whether a value in YAML is no text.
func isSwitch(value string) bool {
	switch value {
	case "", "true", "false", "null", "~", "{}", "[]", `""`, "''":
		return true
	}
	return false
}
