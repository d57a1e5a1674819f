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
// a Secret, which alone has stringData, or a field or key with a name that reads like a secret's.
func hideOperations(text string, hide func(any) string) string {
	if !strings.Contains(text, "path") || !strings.Contains(text, "value") || !isOperations().MatchString(text) {
		return text
	}
	for _, at := range pathOfOperation().FindAllStringSubmatch(text, -1) {
		path := strings.Split(at[1], "/")
		if path[0] == "stringData" || IsSecretName(path[len(path)-1]) {
			return hide(text)
		}
	}
	return text
}

var (
	isOperations    = pattern(`(?:^|[\n\[{,])[ \t]*(?:-[ \t]+)?\\*["']?op\\*["']?[ \t]*:`)
	pathOfData      = pattern(`path\\*["']?\s*:\s*\\*["']?/(stringData|data)`)
	pathOfOperation = pattern(`path\\*["']?\s*:\s*\\*["']?/([^\s"',}\\]+)`)
)
