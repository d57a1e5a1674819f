package diff

import (
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nameRefusals reports a name that no object can have. Where the API server makes the name, what it begins with may
// end in a dash.
func nameRefusals(metadata map[string]any) []refusal {
	if name, _ := metadata["name"].(string); name != "" && len(apivalidation.NameIsDNSSubdomain(name, false)) > 0 {
		return []refusal{{namePath, "no object can have this name"}}
	}
	prefix, _ := metadata["generateName"].(string)
	if prefix != "" && len(apivalidation.NameIsDNSSubdomain(prefix, true)) > 0 {
		return []refusal{{"metadata.generateName", "no object can have a name that begins like this"}}
	}
	return nil
}

// metadataRefusals reports what is refused of the labels and annotations of metadata at a path.
func metadataRefusals(path string, metadata map[string]any) (out []refusal) {
	for _, field := range []string{"annotations", "labels"} {
		values := at(metadata, field)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			text, isText := values[key].(string)
			switch below := join(path+"."+field, key); {
			case !isText && values[key] != nil:
				out = append(out, refusal{below, "it takes no " + kindOf(values[key])})
			case len(validation.IsQualifiedName(strings.ToLower(key))) > 0:
				out = append(out, refusal{below, "no key of " + field + " can have this name"})
			case field == "labels" && !strings.Contains(text, masked) && len(validation.IsValidLabelValue(text)) > 0:
				out = append(out, refusal{below, "no label can have this value"})
			}
		}
	}
	return out
}

// changedMetadata reports what is refused of an object's metadata, and was not before.
func changedMetadata(c *compared) []refusal {
	if !slices.ContainsFunc(c.fields, func(f FieldChange) bool { return strings.HasPrefix(f.Path, "metadata.") }) {
		return nil
	}
	out := metadataRefusals("metadata", at(c.to.table, "metadata"))
	if len(out) == 0 {
		return nil
	}
	before := metadataRefusals("metadata", at(c.from.table, "metadata"))
	return slices.DeleteFunc(out, func(r refusal) bool { return slices.Contains(before, r) })
}

// namespaceRefusals reports a namespace that cannot be.
func namespaceRefusals(o *object) []refusal {
	if o.Namespace == "" || len(validation.IsDNS1123Label(o.Namespace)) == 0 {
		return nil
	}
	return []refusal{{"metadata.namespace", "no namespace can have this name"}}
}
