package refs

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

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

// KindsOfResources returns which of ConfigMap and Secret the resources of a rule are, as rules of a Role list them:
// both where none are listed, or all.
func KindsOfResources(list manifest.Node) []string {
	isListed := func(resource string) bool {
		for item := range list.Items() {
			if all, _, _ := strings.Cut(item.StringValue(), "/"); all == "*" || all == resource {
				return true
			}
		}
		return list.Len() == 0
	}
	return slices.DeleteFunc([]string{ConfigMap, Secret}, func(kind string) bool {
		return !isListed(strings.ToLower(kind) + "s")
	})
}
