package lint

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/diag"
)

// shapeFor returns the shape of a type of Go as its JSON has it. Newer versions may have more fields.
func shapeFor[T any]() *shape {
	return goTypes{map[reflect.Type]*shape{}, map[string]bool{}}.shape(reflect.TypeFor[T]())
}

// goTypes are the shapes of the structs that a type of Go is made of, and the names of all their fields.
type goTypes struct {
	seen   map[reflect.Type]*shape
	family map[string]bool
}

func (all goTypes) shape(t reflect.Type) *shape {
	if t.Kind() == reflect.Pointer {
		return all.shape(t.Elem())
	}
	if known := all.seen[t]; known != nil {
		return known
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return anyShape // it has several forms, as a quantity
	}
	switch t.Kind() {
	case reflect.Struct:
		s := &shape{is: mapping, fields: map[string]*shape{}, others: newerOthers, family: all.family}
		all.seen[t] = s
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch below := all.shape(f.Type); {
			case name == "" && f.Anonymous:
				maps.Copy(s.fields, below.fields)
			case name != "" && name != "-":
				s.fields[name], all.family[name] = below, true
			}
		}
		return s
	case reflect.Slice:
		return &shape{is: list, item: all.shape(t.Elem())}
	case reflect.Map:
		return &shape{is: mapping, item: all.shape(t.Elem())}
	case reflect.String:
		return &shape{is: text}
	case reflect.Bool:
		return truthShape
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &shape{is: number}
	default:
		return anyShape
	}
}

// refusedBy returns a shape of which nothing has other fields than are known: who reads a file refuses it for them.
func (s *shape) refusedBy(who string) *shape {
	if s == nil || s.by != "" || s.is != mapping && s.is != list {
		return s
	}
	s.by, s.others = who, noOthers
	for _, field := range s.fields {
		field.refusedBy(who)
	}
	s.item.refusedBy(who)
	return s
}

// The shapes of what runs a plugin.
var (
	podShape           = sync.OnceValue(func() *shape { return withResources(shapeFor[corev1.PodSpec]()) })
	metadataShape      = sync.OnceValue(shapeFor[metav1.ObjectMeta])
	networkPolicyShape = sync.OnceValue(func() *shape {
		return objectShape(map[string]*shape{"spec": shapeFor[networkingv1.NetworkPolicySpec]()})
	})
	kustomizationShape = sync.OnceValue(func() *shape {
		return shapeFor[kustomize.Kustomization]().refusedBy("kustomize")
	})
	deploymentShape  = sync.OnceValue(func() *shape { return withPods(shapeFor[appsv1.DeploymentSpec]()) })
	statefulSetShape = sync.OnceValue(func() *shape { return withPods(shapeFor[appsv1.StatefulSetSpec]()) })
)

// withPods returns the shape of an object with a pod template, of which containers and volumes are checked by
// themselves.
func withPods(spec *shape) *shape {
	pod := *podShape()
	pod.fields = maps.Clone(pod.fields)
	for _, name := range []string{"containers", "initContainers", "ephemeralContainers", "volumes"} {
		pod.fields[name] = anyShape
	}
	spec.fields["template"] = newerShape(map[string]*shape{"spec": &pod, "metadata": metadataShape()})
	return objectShape(map[string]*shape{"spec": spec})
}

// withResources returns the shape of a pod whose containers have the resources that there are in each cluster.
func withResources(pod *shape) *shape {
	resources := pod.field("containers", "resources")
	for _, name := range []string{"requests", "limits"} {
		resources.fields[name] = openShape(map[string]*shape{}, "cpu", "memory", "ephemeral-storage")
	}
	return pod
}

// objectShape returns the shape of an object.
func objectShape(checked map[string]*shape, others ...string) *shape {
	checked["metadata"] = metadataShape()
	return newerShape(checked, append(others, "apiVersion", "kind", "status")...)
}

// openShape returns the shape of a mapping of which not all keys are known: it has some that are checked, and others.
func openShape(checked map[string]*shape, unchecked ...string) *shape {
	s := &shape{is: mapping, fields: checked, others: anyOthers}
	for _, name := range unchecked {
		s.fields[name] = anyShape
	}
	return s
}

// newerShape is openShape for one of which all keys are known but for those of newer versions.
func newerShape(checked map[string]*shape, unchecked ...string) *shape {
	s := openShape(checked, unchecked...)
	s.others = newerOthers
	return s
}

// known adds keys of other tools for what a shape has under another name.
func (s *shape) known(names map[string]string) *shape {
	s.legacy = names
	return s
}

// chartShape is that of values for the chart argo-cd.
var chartShape = openShape(map[string]*shape{
	"configs": openShape(map[string]*shape{
		"cmp": newerShape(map[string]*shape{}, "create", "annotations", "plugins"),
	}, "cm", "params", "rbac", "gpg", "ssh", "tls", "styles", "secret", "clusterCredentials", "repositories",
		"credentialTemplates", "credentialTemplatesAnnotations", "repositoriesAnnotations"),
	"repoServer": newerShape(map[string]*shape{}, "name", "replicas", "runtimeClassName", "autoscaling", "pdb", "image",
		"imagePullSecrets", "env", "envFrom", "extraArgs", "extraContainers", "initContainers", "existingVolumes",
		"useEphemeralHelmWorkingDir", "volumeMounts", "volumes", "deploymentAnnotations", "deploymentLabels",
		"podAnnotations", "podLabels", "resources", "containerPorts", "hostNetwork", "dnsConfig", "dnsPolicy",
		"containerSecurityContext", "readinessProbe", "livenessProbe", "terminationGracePeriodSeconds", "nodeSelector",
		"tolerations", "affinity", "topologySpreadConstraints", "deploymentStrategy", "priorityClassName",
		"certificateSecret", "service", "metrics", "clusterRoleRules", "serviceAccount", "rbac", "lifecycle", "emptyDir",
		"automountServiceAccountToken", "copyutil", "networkPolicy", "startupProbe", "vpa").known(map[string]string{
		"containers": isExtra, "sidecars": isExtra, "sidecarContainers": isExtra,
		"extraVolumes": "it is called volumes", "extraVolumeMounts": "it is called volumeMounts",
		"extraEnv": "it is called env", "extraInitContainers": "it is called initContainers",
	}),
}, "extraObjects", "global", "server", "controller", "dex", "redis", "redis-ha", "externalRedis", "redisSecretInit",
	"applicationSet", "notifications", "commitServer", "crds", "nameOverride", "fullnameOverride", "namespaceOverride",
	"kubeVersionOverride", "apiVersionOverrides", "createAggregateRoles", "createClusterRoles", "openshift")

const isExtra = "it is called extraContainers"

// operatorShape is that of the resource of Argo CD's operator.
var operatorShape = sync.OnceValue(func() *shape {
	return objectShape(map[string]*shape{"spec": openShape(map[string]*shape{
		"repo": newerShape(map[string]*shape{}, "annotations", "autotls", "enabled", "env", "execTimeout",
			"extraRepoCommandArgs", "image", "initContainers", "labels", "logFormat", "logLevel", "mountsatoken", "remote",
			"replicas", "resources", "serviceaccount", "sidecarContainers", "systemCATrust", "verifytls", "version",
			"volumeMounts", "volumes").known(map[string]string{
			"containers": isSidecars, "extraContainers": isSidecars, "sidecars": isSidecars,
			"extraVolumes": "it is called volumes",
		}),
	}, "rbac", "redis", "server", "sso", "tls", "ha", "image").known(map[string]string{
		"repoServer": "it is called repo", "sidecarContainers": "it belongs below repo", "volumes": "it belongs below repo",
	})})
})

const isSidecars = "it is called sidecarContainers"

// concernsUs reports whether a document is about rollstamp, or about a plugin server.
func (c *checker) concernsUs(root *yaml.Node) bool {
	return slices.ContainsFunc([]string{program, ownPrefix, c.rules.Plugin, pluginServer}, func(word string) bool {
		return mentions(root, word)
	})
}

// workload checks a Deployment or StatefulSet, or a patch of one.
func (c *checker) workload(root *yaml.Node, whole *shape) {
	if c.concernsUs(root) {
		c.check(root, whole, "", names)
		c.version(root, "apps/v1")
		c.repoServer(get(root, "metadata", "name"))
	}
	c.pod(get(root, "spec", "template", "spec"))
}

// repoServer reports a name that may be a misspelling of that which Argo CD's own manifests give to the repo-server.
func (c *checker) repoServer(name *yaml.Node) {
	const usual = "argocd-repo-server"
	if !strings.HasPrefix(name.Value, usual) && nearly(name.Value, []string{usual}) != "" {
		f := c.report(diag.SidecarMount, name, "the repo-server may not be called %s%s", name.Value, didYouMean(usual))
		f.Severity, f.Hint = diag.Warning, "Nothing reports a patch of what is not there."
	}
}

// version reports another version of the API than those that an object is served in.
func (c *checker) version(root *yaml.Node, served ...string) {
	v := get(root, "apiVersion")
	if v.Value == "" || slices.Contains(served, v.Value) || isFilledIn(v.Value) {
		return
	}
	c.report(diag.PluginValue, v, "apiVersion: want %s, found %q", strings.Join(served, " or "), v.Value)
}

// misspelt reports a kind or group that may be meant for one that is checked: nothing reads it, and nothing says so.
func (c *checker) misspelt(root *yaml.Node, kind string) {
	version := get(root, "apiVersion")
	group, _, _ := strings.Cut(version.Value, "/")
	isOurs := slices.Contains(argoKinds, kind) && nearly(group, []string{argoGroup}) != ""
	near := nearly(kind, slices.Concat(argoKinds, otherKinds))
	switch {
	case isOurs:
		c.report(diag.PluginValue, version, "apiVersion: there is no group %s%s", group, didYouMean(argoGroup))
	case (kind == "" || slices.Contains(argoKinds, kind)) && c.concernsUs(root) && root.Kind == yaml.MappingNode:
		before := len(c.findings)
		ofAny := openShape(map[string]*shape{"metadata": metadataShape()}, "apiVersion", "kind", "spec", "data", "status")
		if c.check(root, ofAny, "", names); len(c.findings) == before {
			return
		}
	case near != "" && (c.concernsUs(root) || argoproj(root)):
		c.report(diag.PluginValue, get(root, "kind"), "there is no kind %s, and nothing of it is read%s", kind,
			didYouMean(near))
	default:
		return
	}
	c.known++
}

const argoGroup = "argoproj.io"

// targets checks what the patches of a kustomization with a sidecar are for: one that fits nothing is passed over in
// silence.
func (c *checker) targets(root *yaml.Node) {
	known := map[string][]string{"kind": append(slices.Clone(otherKinds), "NetworkPolicy"),
		"group": {"apps", "networking.k8s.io"}}
	for _, p := range append(items(get(root, "patches")), items(get(root, "patchesJson6902"))...) {
		target, patched := get(p, "target"), c.patched(p)
		for _, field := range []string{"group", "version", "kind"} {
			n := get(target, field)
			near := didYouMean(nearly(n.Value, known[field]))
			isOther := n.Value != "" && patched[field] != "" && !isSelected(n.Value, patched[field])
			switch {
			case n.Value == "" || near == "" && !isOther:
			case isOther && near == "":
				f := c.report(diag.PluginValue, n, "target.%s: %s is not the %s of the patch, which is %s: kustomize passes over "+
					"the patch where there is no such object", field, n.Value, field, patched[field])
				f.Severity = diag.Warning // it may be meant
			default:
				c.report(diag.PluginValue, n, "target.%s: there is no %s %s, and kustomize passes over the patch%s", field, field,
					n.Value, near)
			}
		}
		c.repoServer(get(target, "name"))
	}
}

// patched returns the group, version and kind that the text of a patch names, as far as it does.
func (c *checker) patched(patch *yaml.Node) map[string]string {
	var doc yaml.Node
	if yaml.Unmarshal(c.patchText(patch), &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	group, version, isGrouped := strings.Cut(get(doc.Content[0], "apiVersion").Value, "/")
	if !isGrouped {
		group, version = "", group
	}
	return map[string]string{"group": group, "version": version, "kind": get(doc.Content[0], "kind").Value}
}

// isSelected reports whether a field of a patch's target, which is a regular expression, fits a value.
func isSelected(pattern, value string) bool {
	expression, err := regexp.Compile("^(?:" + pattern + ")$")
	return err != nil || expression.MatchString(value)
}
