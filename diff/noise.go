package diff

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// quietLabels are the labels and annotations of a pod that are about a chart, a version or a time, and that no
// container reads.
var quietLabels = map[string]string{
	"helm.sh/chart":                         "it names the chart's version",
	"chart":                                 "it names the chart's version",
	"helm.sh/revision":                      "it counts the release",
	"heritage":                              "it names the tool",
	"app.kubernetes.io/managed-by":          "it names the tool",
	"app.kubernetes.io/version":             "it names a version",
	"version":                               "it names a version",
	"argocd.argoproj.io/tracking-id":        "it is Argo CD's own",
	"argocd.argoproj.io/instance":           "it is Argo CD's own",
	"kustomize.toolkit.fluxcd.io/checksum":  "it is Flux's own",
	"kustomize.toolkit.fluxcd.io/name":      "it is Flux's own",
	"helm.toolkit.fluxcd.io/name":           "it is Flux's own",
	"config.kubernetes.io/origin":           "it is kustomize's own",
	"rollme":                                "it is random, to force a restart",
	"timestamp":                             "it is a time",
	"date":                                  "it is a time",
	"releaseTime":                           "it is a time",
	"deployedAt":                            "it is a time",
	"buildTime":                             "it is a time",
	"alm-examples":                          "it is documentation",
	"olm.operatorframework.io/generated-at": "it is a time",
}

// hashes are names of annotations and labels under which charts write hashes of what they rendered.
var hashes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[/._-])(checksum|sha|sha1|sha256|md5|hash|digest)($|[/._-])|checksum|config-?hash|hash$`)
})

// hexes is what a hash looks like.
var hexes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{6,128}$`) })

// orderless are the lists of a pod whose order means nothing.
var orderless = map[string]bool{
	"volumes": true, "volumeMounts": true, "ports": true, "containers": true, "tolerations": true,
	"imagePullSecrets": true, "volumeDevices": true,
	"topologySpreadConstraints": true, "hostAliases": true, "readinessGates": true, "items": true, "sysctls": true,
}

// emptyable are the tables of a pod that mean nothing where they are empty, and yet are another template to
// Kubernetes. An empty selector is none of them: it selects everything.
var emptyable = map[string]bool{
	"securityContext": true, "affinity": true, "nodeAffinity": true, "podAffinity": true, "podAntiAffinity": true,
	"dnsConfig": true, "lifecycle": true,
}

// noise returns what a change of a pod template is that nothing in the pod reads, and why; "" as why where it may
// have a meaning.
func noise(f FieldChange) (Reason, string) {
	key, labelled := labelOf(f.Path)
	switch {
	case f.Change == Reordering && orderless[f.Path[strings.LastIndexByte(f.Path, '.')+1:]]:
		return Order, "the same items stand in another order"
	case (f.Change == Addition && f.To == "{}" || f.Change == Removal && f.From == "{}") &&
		emptyable[f.Path[strings.LastIndexByte(f.Path, '.')+1:]]:
		return Template, "it is empty, which means the same as none"
	case !labelled:
		return Template, ""
	case hashes().MatchString(key) && (f.Change != Modification || hexes().MatchString(f.From) &&
		hexes().MatchString(f.To)):
		return Checksum, "the chart hashes what it rendered, with everything that no container reads"
	case quietLabels[key] != "":
		return Label, quietLabels[key]
	}
	return Template, ""
}

// labelOf returns the key of the pod's label or annotation at a path.
func labelOf(path string) (string, bool) {
	for _, at := range []string{"metadata.annotations", "metadata.labels"} {
		rest, ok := strings.CutPrefix(path, at)
		if !ok {
			continue
		}
		if key, ok := strings.CutPrefix(rest, "."); ok {
			return key, true
		}
		if key, err := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(rest, "["), "]")); err == nil {
			return key, true
		}
	}
	return "", false
}
