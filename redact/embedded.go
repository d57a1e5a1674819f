package redact

import (
	"slices"
	"strings"
)

// hideEmbedded hides the values of a Secret that is a part of another object, such as the manifest of a ManifestWork.
// A rule of Kyverno has the kind beside the whole Secret, which is its data.
func (h hider) hideEmbedded(table map[string]any) {
	if table["kind"] != "Secret" {
		return
	}
	for _, field := range valueFields {
		below, is := table[field].(map[string]any)
		if !is || !hasValueField(below) {
			h.fields(table, field)
			continue
		}
		for name := range below {
			if !slices.Contains(plainFields, name) {
				h.fields(below, name)
			}
		}
	}
}

// The fields of a Secret that hold its values, and those that hold none.
var (
	valueFields = []string{"data", "stringData"}
	plainFields = []string{"apiVersion", "kind", "metadata", "type", "immutable"}
)

func hasValueField(table map[string]any) bool {
	return slices.ContainsFunc(valueFields, func(field string) bool {
		_, is := table[field].(map[string]any)
		return is
	})
}

// isOfGroup reports whether the kind of an object is not one of Kubernetes' core.
func isOfGroup(object map[string]any) bool {
	version, _ := object["apiVersion"].(string)
	return strings.Contains(version, "/")
}

// hideDocuments hides each document of a text in YAML or JSON that has a Secret with values in it, as a whole: a
// template or a patch may be no YAML by itself.
func hideDocuments(text string, hide func(any) string) string {
	if !strings.Contains(text, "Secret") || !strings.Contains(text, "kind") || !hasSecretDocument(text) {
		return text
	}
	var out, document strings.Builder
	flush := func() {
		content := document.String()
		if hasSecretDocument(content) {
			inner := strings.TrimSpace(content)
			before, after, _ := strings.Cut(content, inner)
			content = before + hide(inner) + after
		}
		out.WriteString(content)
		document.Reset()
	}
	end := "" // of what a script has between << and this word
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "---") || end != "" && strings.TrimSpace(line) == end {
			flush()
			end = ""
		}
		document.WriteString(line)
		if begin := beginOfText().FindStringSubmatch(line); begin != nil {
			flush()
			end = begin[1]
		}
	}
	flush()
	return out.String()
}

// hasSecretDocument reports whether a text has the kind of a Secret and one of its value fields, in one column where
// both begin a line. A kind in a comment counts with values in comments.
func hasSecretDocument(text string) bool {
	kinds := map[int]bool{}
	for _, at := range kindOfSecret().FindAllStringSubmatchIndex(text, -1) {
		kinds[columnOf(text, at[2])] = true
	}
	if len(kinds) == 0 {
		return false
	}
	for _, at := range valuesOfSecret().FindAllStringSubmatchIndex(text, -1) {
		column := columnOf(text, at[2])
		if kinds[column] || column != inComment && kinds[inLine] || column == inLine && hasColumn(kinds) {
			return true
		}
	}
	return false
}

// hasColumn reports whether one of the kinds begins a line.
func hasColumn(kinds map[int]bool) bool {
	for column := range kinds {
		if column >= 0 {
			return true
		}
	}
	return false
}

var (
	kindOfSecret = pattern(`(?:^|\\n|[\s{,"'])(\\*["']?kind)\\*["']?\s*:\s*(?:[!&|>][^\s]*\s+)*\\*["']?Secret` +
		`(?:[\s"',}#\\]|$)`)
	valuesOfSecret = pattern(`(?:^|\\n|[\s{,"'])(\\*["']?(?:data|stringData))\\*["']?\s*:`)
)

// beginOfText is the end of a line of a shell that takes the next lines up to a word as input.
var beginOfText = pattern(`<<-?[ \t]*\\?["']?([A-Za-z_][A-Za-z0-9_]*)["']?[ \t]*(?:[|>;&].*)?\r?\n$`)

// The columns of what does not begin a line, and of what is in a comment.
const inLine, inComment = -1, -2

// columnOf returns the column of a position of a text, if nothing but blanks, and the dashes of lists, is before it.
func columnOf(text string, at int) int {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	switch before := strings.Trim(text[start:at], " -\t"); {
	case before == "":
		return at - start
	case before[0] == '#', strings.Contains(text[start:at], " # ") && !strings.ContainsAny(before, `"'`):
		return inComment
	}
	return inLine
}
