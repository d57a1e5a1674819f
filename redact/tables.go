package redact

import "strings"

// isSecretTable reports whether all that stands below a name is secret, but for references.
func isSecretTable(name string) bool {
	return name == "secret" || name == "secrets" || name == "stringData"
}

// isSchema reports whether a field is described, as in a CustomResourceDefinition.
func isSchema(field map[string]any) bool {
	_, isText := field["type"].(string)
	_, has := field["additionalProperties"]
	return isText && (has || field["description"] != nil)
}

// isReferenceName reports whether a field below a table of secrets says which one is meant, or how it is mounted.
func isReferenceName(name string) bool {
	plain := plainName(name)
	return isPlaceName(name, plain) || strings.HasPrefix(plain, "existing") || isKeyName(plain) ||
		plain == "key" || plain == "keys" || strings.HasSuffix(plain, "mode")
}

// hasNamedLine reports whether a line of a text in YAML has a value under a name that reads like a secret's, or below a
// table of secrets.
func hasNamedLine(text string) bool {
	table := none // the indentation of the table of secrets that the line may be in
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " -")
		name, value, ok := strings.Cut(trimmed, ":")
		if !ok {
			continue
		}
		indent := len(line) - len(trimmed)
		name, value = strings.Trim(name, `"' `), strings.Trim(strings.TrimSpace(value), `"'`)
		if table != none && indent <= table {
			table = none
		}
		switch {
		case value == "":
			if table == none && isSecretTable(name) {
				table = indent
			}
		case value == "[]", value == "{}":
		case IsSecretName(name) && !isPlainFor(name, value), table != none && !isReferenceName(name):
			return true
		}
	}
	return false
}
