package diff

import (
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
)

// sizeRefusals reports a ConfigMap or Secret with more content than the API server takes. Old is nil where it is new;
// what was as large before is in no cluster.
func sizeRefusals(old, now *object) []refusal {
	if isTooLarge(now) && (old == nil || !isTooLarge(old)) {
		return []refusal{{"data", "its values have more than 1 MiB"}}
	}
	return nil
}

// isTooLarge reports whether the values of a ConfigMap or Secret have more bytes than one may.
func isTooLarge(o *object) bool {
	if len(o.source) < corev1.MaxSecretSize {
		return false
	}
	table, err := o.table()
	if err != nil {
		return false // it is reported where it is compared
	}
	sizes := map[string]int{} // by key: stringData writes over data
	encoded := map[string]bool{"binaryData": true, "data": o.Kind == "Secret"}
	for _, field := range []string{"binaryData", "data", "stringData"} {
		for key, v := range at(table, field) {
			text, _ := v.(string)
			if sizes[key] = len(text); encoded[field] {
				raw, _ := base64.StdEncoding.DecodeString(text)
				sizes[key] = len(raw)
			}
		}
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	return total > corev1.MaxSecretSize
}
