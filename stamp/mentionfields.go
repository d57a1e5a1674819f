package stamp

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// otherKind is the kind of what a field names that is neither a ConfigMap nor a Secret.
const otherKind = "another"

// otherNames are fields of any kind of object that name something else than a ConfigMap or Secret, by their words or
// because their API says what is meant where no kind is written: Gateway API's backendRefs mean Services, KEDA's
// scaleTargetRef a Deployment.
var otherNames = wordSet(`
	namespace namespaces namespaceSelector podSelector matchLabels matchExpressions matchFields topologyKey
	serviceName serviceAccountName serviceAccount claimName storageClassName volumeName ingressClassName
	gatewayClassName priorityClassName runtimeClassName schedulerName nodeName nodeSelector containerName image
	port ports targetPort portName hostname hostnames subdomain
	backendRef backendRefs parentRef parentRefs scaleTargetRef serviceRef`)

// otherNamesOfKnown are more of these, of kinds whose fields are known.
var otherNamesOfKnown = wordSet(`
	selector labelSelector service roleRef workloadRef volumeMounts volumeDevices container
	remoteRef extract secretStoreRef storeRef secretKey`)

// otherNamesOfGroup are more of these, of single APIs: Argo Rollouts' docs/features/specification.md, Traefik's
// IngressRoute, Istio's VirtualService and DestinationRule, KEDA's ScaledObject.
var otherNamesOfGroup = map[string]map[string]bool{
	"argoproj.io": wordSet(`activeService previewService canaryService stableService pingService pongService
		rootService stableIngress stableIngresses ingress virtualService virtualServices destinationRule templateName`),
	"traefik.io":          traefikNames,
	"traefik.containo.us": traefikNames,
	"networking.istio.io": wordSet("host hosts gateways destination subset workloadSelector"),
	"keda.sh":             wordSet("authenticationRef"),
}

var traefikNames = wordSet("services middlewares options store entryPoints")

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// namesOther reports whether a field of an object names something else than a ConfigMap or Secret, where nothing in it
// says that it does. Known is a kind whose fields are known.
func namesOther(group, key string, known bool) bool {
	return otherNames[key] || known && otherNamesOfKnown[key] || otherNamesOfGroup[group][key]
}

// fieldsOfKind are fields that name a ConfigMap, and those that name a Secret.
var fieldsOfKind = map[string]string{
	"configMap": refs.ConfigMap, "configMapRef": refs.ConfigMap, "configMapKeyRef": refs.ConfigMap,
	"secretKeyRef": refs.Secret, "secretRef": refs.Secret, "secretName": refs.Secret, "imagePullSecrets": refs.Secret,
}

// listsOfNamed are lists whose items have names of their own.
var listsOfNamed = map[string]bool{
	"containers": true, "initContainers": true, "ephemeralContainers": true, "volumes": true, "env": true,
	"volumeClaimTemplates": true,
}

// field is where a value is.
type field struct {
	name, above string // the field, and the one that it is in
	kind        string // of what can be named there; "" for any
	content     bool   // it is what a ConfigMap or Secret holds
	encoded     bool   // in base64
}

// item returns the field of the items of a list.
func (f field) item() field { return field{"", f.name, f.kind, f.content, f.encoded} }

// below returns the field under a key of the value of another one.
func (f field) below(key string) field {
	out := field{key, f.name, f.kind, f.content, f.encoded}
	if f.content {
		return out // a key of somebody's own, whatever it is called
	}
	if kind := fieldsOfKind[key]; kind != "" {
		out.kind = kind
	} else if f.kind == otherKind && speaksOfContent(key) {
		out.kind = ""
	}
	return out
}

// speaksOfContent reports whether a field is, by its word, for a ConfigMap or Secret, as the secret in the selector of
// a PushSecret is.
func speaksOfContent(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "secret") || strings.Contains(key, "configmap")
}

// kindBeside returns the kind that a mapping says itself for what is under one of its keys: beside a name by kind, as
// references do, and by resources, as rules of a Role do. It is "" where the mapping says none, or both.
func kindBeside(n manifest.Node, key string) string {
	switch key {
	case "name":
		switch kind := n.Get("kind").StringValue(); kind {
		case "", refs.ConfigMap, refs.Secret:
			return kind
		}
		return otherKind
	case "resourceNames":
		switch kinds := refs.KindsOfResources(n.Get("resources")); len(kinds) {
		case 0:
			return otherKind
		case 1:
			return kinds[0]
		}
	}
	return ""
}
