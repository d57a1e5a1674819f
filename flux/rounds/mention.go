package rounds

import (
	"iter"
	"strings"
	"unicode"
)

// isWord reports whether a name is one word, such as app or config. Texts have such words for many reasons, and
// they count as a name only where a reference can stand. Other names, such as web-token, count wherever they are.
func isWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}

// mentions adds all that may be a name in a text: words where a reference can stand, as in a text of YAML, in
// --option=word and in a list with commas.
func mentions(text string, add func(name string)) {
	for line := range strings.Lines(text) {
		for name := range namesOf(line) {
			if !isWord(name) {
				add(name)
			}
		}
		for word := range wordsOf(line) {
			add(word)
		}
	}
}

// wordsOf returns the words of a line that are the value of a field, or an item of a list.
func wordsOf(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		field := ""
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("{}[],", r) }) {
			part, _, _ = strings.Cut(part, " #")
			if at := strings.LastIndexAny(part, ":="); at >= 0 {
				field, part = lastField(part[:at]), part[at+1:]
			}
			word := strings.Trim(strings.TrimPrefix(strings.TrimSpace(part), "- "), "\"' \t")
			if word != "" && isWord(word) && mayRefer(field) && !yield(word) {
				return
			}
		}
	}
}

// lastField returns the key at the end of a text, without quotes and dashes around it.
func lastField(text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return ""
	}
	return strings.Trim(fields[len(fields)-1], "\"'-")
}

// mayRefer reports whether a field may hold the name of a ConfigMap or Secret, or of what holds one: charts name such
// fields as they like. It may not where fields of its name hold something else everywhere.
func mayRefer(field string) bool {
	switch field := strings.ToLower(field); field {
	case "image", "repository", "registry", "tag", "digest", "pullpolicy", "imagepullpolicy", "kind", "type", "apiversion",
		"group", "version", "path", "mountpath", "subpath", "host", "hostname", "command", "args", "controller", "container",
		"port", "portname", "targetport", "protocol", "service", "servicename", "ingressclassname", "classname", "class",
		"storageclass", "storageclassname", "strategy", "accessmode", "enabled", "level", "loglevel", "mode", "schedule",
		"timezone", "namespace", "user", "username", "role", "rolename", "database", "key", "fieldpath", "op", "operator",
		"effect", "serviceaccountname", "priorityclassname", "runtimeclassname", "schedulername", "restartpolicy",
		"description", "title", "identifier", "app", "component", "instance", "tier", "format", "driver", "provider":
		return false
	default:
		return !holdsLabels(field) && !strings.HasSuffix(field, "policy")
	}
}

// holdsLabels reports whether the fields of a field are labels.
func holdsLabels(field string) bool {
	field = strings.ToLower(field)
	return strings.HasSuffix(field, "labels") || strings.HasSuffix(field, "selector")
}
