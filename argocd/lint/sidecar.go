package lint

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollstamp/rollstamp/diag"
)

const (
	socketFolder = "/home/argocd/cmp-server/plugins"
	configFolder = "/home/argocd/cmp-server/config"
	binaries     = "/var/run/argocd"
	pluginServer = "argocd-cmp-server"
	user         = "999"
)

// podSpec is the relevant part of the repo-server's pod, or of a patch to it.
type podSpec struct {
	security       *yaml.Node // of the pod; nil if it has none
	containers     []*yaml.Node
	initContainers []*yaml.Node // of which those stay that are restarted always
	volumes        []*yaml.Node
	known          []string // volumes of the pod that are not in this file
	byOperator     bool     // Argo CD's operator makes the rest of the pod
}

// serverVolumes are the volumes that Argo CD's own manifests, chart and operator add to the repo-server's pod.
var serverVolumes = []string{"argocd-cmp-cm", "var-files", "plugins", "tmp", "helm-working-dir"}

func (c *checker) pod(spec *yaml.Node) {
	c.containers(podSpec{
		security: get(spec, "securityContext"), containers: items(get(spec, "containers")),
		initContainers: items(get(spec, "initContainers")), volumes: items(get(spec, "volumes")),
		known: serverVolumes,
	})
}

func (c *checker) containers(pod podSpec) {
	if pod.security == nil {
		pod.security = absent
	}
	for _, n := range pod.initContainers {
		if get(n, "restartPolicy").Value == "Always" {
			pod.containers = append(pod.containers, n)
		} else if s := (sidecar{checker: c, pod: pod, n: n, at: orParent(get(n, "name"), n)}); s.neverEnds() {
			f := c.report(diag.SidecarCommand, s.at, "an init container that serves a plugin never ends, and the pod does not start")
			f.Hint = "Set restartPolicy: Always, or move it to the containers."
		}
	}
	hasOurs := false
	for _, n := range pod.containers {
		if s := (sidecar{checker: c, pod: pod, n: n, at: orParent(get(n, "name"), n)}); s.isPlugin() {
			s.check()
			hasOurs = hasOurs || s.runsRollstamp()
		}
	}
	if !hasOurs {
		return
	}
	for _, n := range pod.containers {
		if s := (sidecar{checker: c, pod: pod, n: n}); !s.isPlugin() {
			c.check(n, podShape().field("containers"), "containers[]", names)
			if !has(n, "image") { // a patch of a container that is there
				c.repoServer(get(n, "name"))
			}
		}
	}
	for _, v := range pod.volumes {
		c.check(v, podShape().field("volumes"), "volumes[]", names|types)
		c.unused(pod, v)
	}
}

// sidecar is a container that runs a plugin.
type sidecar struct {
	*checker
	pod   podSpec
	n, at *yaml.Node
}

// isPlugin reports whether it is a plugin's container, and not the repo-server's own, which mounts the sockets too.
func (s sidecar) isPlugin() bool {
	argv := strings.Join(s.argv(), " ")
	return strings.Contains(argv, pluginServer) || strings.Contains(argv, "argocd serve") || s.isOwnImage() ||
		s.runsRollstamp() && mount(s.n, socketFolder) != ""
}

// neverEnds reports whether it serves one of our plugins.
func (s sidecar) neverEnds() bool {
	argv := s.argv()
	return s.serving() || len(argv) > 0 && path.Base(argv[0]) == pluginServer && s.runsRollstamp()
}

// isOwnImage reports whether the image is rollstamp's own, by its name.
func (s sidecar) isOwnImage() bool {
	return strings.HasPrefix(path.Base(get(s.n, "image").Value), program)
}

// runsRollstamp reports whether it is rollstamp's sidecar. What those of other plugins need depends on their images.
func (s sidecar) runsRollstamp() bool {
	for _, e := range items(get(s.n, "env")) {
		if strings.HasPrefix(get(e, "name").Value, "ROLLSTAMP_") {
			return true
		}
	}
	name := get(s.n, "name").Value
	return s.serving() || strings.Contains(name, program) || strings.Contains(name, s.rules.Plugin) ||
		strings.Contains(path.Base(get(s.n, "image").Value), program)
}

func (s sidecar) check() {
	if !s.runsRollstamp() {
		s.report(diag.Skipped, s.at, "nothing here says that the container runs rollstamp: it is taken for another "+
			"plugin's, and not checked").Hint = "If it runs rollstamp, pass --plugin with a part of its name."
		return
	}
	if s.serving() {
		s.names = append(s.names, s.servedName())
	}
	s.checker.check(s.n, podShape().field("containers"), "containers[]", names|types)
	s.command()
	s.probes()
	s.user()
	s.privileges()
	if !s.serving() || mount(s.n, "/tmp") != "" { // argocd serve unpacks nothing to disk
		s.temporary()
	} else if s.misplaced("/tmp") != absent {
		s.notMounted("/tmp", "the container's own")
	}
	s.mounts()
	s.files()
	s.variables()
	s.hashKey()
	s.policy()
	s.quantities()
	if r := get(s.n, "resources", "requests"); len(r.Content) == 0 {
		s.report(diag.SidecarResources, s.at,
			"the container requests no resources; it is the first to be evicted, and slow beside others")
	}
	image := get(s.n, "image")
	_, tag, _ := strings.Cut(path.Base(image.Value), ":")
	if image.Value != "" && !strings.Contains(image.Value, "@sha256:") && (tag == "" || tag == "latest") {
		s.report(diag.SidecarImage, image, "image %s names no version", image.Value)
	}
}

// quantities checks what the container requests, and its limits.
func (s sidecar) quantities() {
	for _, field := range []string{"requests", "limits"} {
		all := get(s.n, "resources", field)
		for i := 0; i+1 < len(all.Content); i += 2 {
			n := resolve(all.Content[i+1])
			if _, err := resource.ParseQuantity(n.Value); err != nil && !isFilledIn(n.Value) {
				f := s.report(diag.PluginValue, n, "resources.%s.%s: %s is no quantity", field, all.Content[i].Value, n.Value)
				f.Hint = "Write it as 500m, 512Mi or 3Gi."
			}
		}
	}
}

func (s sidecar) mounts() {
	needed := [][2]string{{socketFolder, "the plugins' sockets, volume plugins"}}
	if command := scalars(get(s.n, "command")); !s.serving() {
		if len(command) == 0 || strings.HasPrefix(command[0], binaries+"/") { // else the image has it
			needed = append(needed, [2]string{binaries, "the plugin server, volume var-files"})
		}
		s.file()
	}
	for _, m := range needed {
		if mount(s.n, m[0]) == "" {
			s.notMounted(m[0], m[1])
		}
	}
	for _, m := range items(get(s.n, "volumeMounts")) {
		name := get(m, "name")
		if s.volume(name.Value) == absent && !slices.Contains(s.pod.known, name.Value) {
			s.report(diag.SidecarMount, orParent(name, m), "volume %q is not among the pod's volumes%s", name.Value,
				didYouMean(nearly(name.Value, s.volumeNames())))
		}
	}
}

// volumeNames returns the names of volumes that the container can mount.
func (s sidecar) volumeNames() []string {
	all := slices.Clone(s.pod.known)
	for _, v := range slices.Concat(s.pod.volumes, s.patchVolumes) {
		all = append(all, get(v, "name").Value)
	}
	return all
}

// unused reports a volume of rollstamp's that no container mounts.
func (c *checker) unused(pod podSpec, volume *yaml.Node) {
	name := get(volume, "name")
	for _, container := range pod.containers {
		for _, m := range items(get(container, "volumeMounts")) {
			other := get(m, "name").Value
			if other == name.Value || nearly(other, []string{name.Value}) != "" {
				return
			}
		}
	}
	if strings.Contains(name.Value, program) {
		f := c.report(diag.SidecarMount, name, "volume %q is mounted by no container", name.Value)
		f.Severity = diag.Warning
	}
}

func (s sidecar) volume(name string) *yaml.Node {
	for _, v := range slices.Concat(s.pod.volumes, s.patchVolumes) {
		if get(v, "name").Value == name {
			return v
		}
	}
	return absent
}
