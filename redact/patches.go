package redact

import (
	"strings"
)

// hidePatch hides the text of a patch, as a whole, if its target is a Secret and it has values of that.
func (h hider) hidePatch(table map[string]any) {
	text, is := table["patch"].(string)
	target, _ := table["target"].(map[string]any)
	if is && target["kind"] == "Secret" && pathOfData().MatchString(text) && strings.Contains(text, "value") {
		table["patch"] = h.hide(text)
	}
}

// hideOperations hides a text, as a whole, that is a list of operations of JSON patches of which one sets a value of
// a Secret: only these have stringData. Data is that of ConfigMaps, too; there the name of the key decides.
func hideOperations(text string, hide func(any) string) string {
	if !strings.Contains(text, "path") || !strings.Contains(text, "value") || !strings.Contains(text, "ata") ||
		!isOperations().MatchString(text) {
		return text
	}
	for _, path := range pathOfData().FindAllStringSubmatch(text, -1) {
		if path[1] == "stringData" || path[2] != "" && IsSecretName(path[2]) {
			return hide(text)
		}
	}
	return text
}

var (
	isOperations = pattern(`(?:^|[\n\[{,])[ \t]*(?:-[ \t]+)?\\*["']?op\\*["']?[ \t]*:`)
	pathOfData   = pattern(`["']?path\\*["']?\s*:\s*\\*["']?/(stringData|data)(?:/([^\s"',}\\]+))?`)
)
