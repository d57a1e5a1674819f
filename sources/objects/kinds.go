package objects

// Anything is the key under which what can produce keys that are not known stands.
const Anything = "*"

// The kinds that hold content.
const (
	secret    = "Secret"
	configMap = "ConfigMap"
)

// kubeNamespace is the kind whose labels say where something is produced in several namespaces.
const kubeNamespace = "Namespace"

// field is a field of a ConfigMap or Secret that holds content. Of two that hold one key, the later wins where it may
// replace.
type field struct {
	name     string
	base64   bool
	replaces bool
}

var contentFields = map[string][]field{
	"ConfigMap": {{name: "data"}, {name: "binaryData", base64: true}},
	"Secret":    {{name: "data", base64: true}, {name: "stringData", replaces: true}},
}
