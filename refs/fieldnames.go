package refs

import "strings"

// KindNamedBy returns the kind of what a field of any API usually names: ConfigMap, Secret, or "" for neither.
func KindNamedBy(field string) string {
	for _, end := range []string{"", "Name", "Ref", "KeyRef", "s"} {
		word, ok := strings.CutSuffix(field, end)
		switch {
		case !ok:
		case word == "configMap" || word == "configmap" || strings.HasSuffix(word, "ConfigMap"):
			return ConfigMap
		case word == "secret" || strings.HasSuffix(word, "Secret"):
			return Secret
		}
	}
	return ""
}
