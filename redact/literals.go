package redact

import (
	"strings"
	"unicode"
)

// literals hides texts in fields, or below them, but for the template actions in them.
func (h hider) literals(in map[string]any, names ...string) {
	for _, name := range names {
		switch v := in[name].(type) {
		case string:
			in[name] = h.aroundActions(v)
		case map[string]any:
			for field := range v {
				h.literals(v, field)
			}
		}
	}
}

// aroundActions returns a template in which all is hidden but its actions and what has no letter and no digit, such as
// the blank between two.
func (h hider) aroundActions(template string) string {
	var out strings.Builder
	for template != "" {
		literal, rest := template, ""
		if start := strings.Index(template, "{{"); start >= 0 {
			if n := strings.Index(template[start:], "}}"); n >= 0 {
				literal, rest = template[:start], template[start:]
			}
		}
		inner := strings.TrimSpace(literal)
		if strings.ContainsFunc(inner, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) ||
			len(inner) > len("://") {
			before, after, _ := strings.Cut(literal, inner)
			literal = before + h.hide(inner) + after
		}
		out.WriteString(literal)
		action := 0
		if rest != "" {
			action = strings.Index(rest, "}}") + len("}}")
		}
		out.WriteString(rest[:action])
		template = rest[action:]
	}
	return out.String()
}
