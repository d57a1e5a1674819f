package lint

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

const (
	socketFolder = "/home/argocd/cmp-server/plugins"
	pluginFile   = "/home/argocd/cmp-server/config/plugin.yaml"
	binaries     = "/var/run/argocd"
	server       = binaries + "/argocd-cmp-server"
	user         = "999"
)

// podSpec is the relevant part of the repo-server's pod, or of a patch to it.
type podSpec struct {
	security   *yaml.Node // of the pod; nil if it has none
	containers []*yaml.Node
	volumes    []*yaml.Node
	known      []string // volumes of the pod that are not in this file
	byOperator bool     // Argo CD's operator makes the rest of the pod
}

// serverVolumes are the volumes that Argo CD's own manifests, chart and operator add to the repo-server's pod.
var serverVolumes = []string{"argocd-cmp-cm", "var-files", "plugins", "tmp", "helm-working-dir"}

func (c *checker) pod(spec *yaml.Node) {
	c.containers(podSpec{
		security: get(spec, "securityContext"), containers: items(get(spec, "containers")),
		volumes: items(get(spec, "volumes")),
		known:   serverVolumes,
	})
}

func (c *checker) containers(pod podSpec) {
	if pod.security == nil {
		pod.security = absent
	}
	for _, n := range pod.containers {
		if s := (sidecar{checker: c, pod: pod, n: n, at: orParent(get(n, "name"), n)}); s.isPlugin() {
			s.check()
		}
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
	name, _, _ := strings.Cut(path.Base(get(s.n, "image").Value), ":")
	return strings.Contains(argv, "argocd-cmp-server") || strings.Contains(argv, "argocd serve") ||
		strings.HasPrefix(name, "rollstamp")
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
	s.command()
	s.user()
	s.privileges()
	if !s.serving() || mount(s.n, "/tmp") != "" { // argocd serve unpacks nothing to disk
		s.temporary()
	}
	s.mounts()
	s.hashKey()
	s.policy()
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

// serving reports whether rollstamp itself answers on the socket.
func (s sidecar) serving() bool {
	return strings.Contains(strings.Join(s.argv(), " "), "argocd serve")
}

// argv returns the words that the container is started with.
func (s sidecar) argv() []string {
	return append(scalars(get(s.n, "command")), scalars(get(s.n, "args"))...)
}

// servedName returns the plugin's name that rollstamp serves.
func (s sidecar) servedName() string {
	args := s.argv()
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--name="); ok {
			return name
		}
		if arg == "--name" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return program
}

func (s sidecar) command() {
	command := scalars(get(s.n, "command"))
	if s.serving() || len(command) > 0 && path.Base(command[0]) == "argocd-cmp-server" {
		return
	}
	s.report(diag.SidecarCommand, s.at, "the container runs its image's own program")
}

// security returns a field of the container's security context, or else of the pod's.
func (s sidecar) security(field string) *yaml.Node {
	if n := get(s.n, "securityContext", field); n != absent {
		return n
	}
	return get(s.pod.security, field)
}

func (s sidecar) user() {
	u := s.security("runAsUser")
	switch nonRoot := s.security("runAsNonRoot").Value == "true"; {
	case u == absent && nonRoot && s.pod.byOperator: // the image's own, or OpenShift's
	case u == absent && (nonRoot || s.pod.byOperator):
		s.report(diag.SidecarUser, s.at, "no runAsUser is set: it is the image's, or OpenShift's, and has to be %s "+
			"where the cluster sets none", user).Severity = diag.Info
	case u == absent:
		s.report(diag.SidecarUser, s.at, "no runAsUser is set: it is the image's, and has to be %s", user).
			Severity = diag.Warning
	case u.Value != user:
		s.report(diag.SidecarUser, orParent(u, s.at), "runAsUser is %q, not %s", u.Value, user)
	case !nonRoot:
		s.report(diag.SidecarUser, s.at, "runAsNonRoot is not true").Severity = diag.Warning
	}
}

func (s sidecar) privileges() {
	var missing []string
	if s.security("readOnlyRootFilesystem").Value != "true" {
		missing = append(missing, "its root file system is not read-only")
	}
	if s.security("allowPrivilegeEscalation").Value != "false" {
		missing = append(missing, "it may gain privileges")
	}
	if !slices.Contains(scalars(get(s.security("capabilities"), "drop")), "ALL") {
		missing = append(missing, "it keeps capabilities")
	}
	if len(missing) > 0 {
		s.report(diag.SidecarRoot, s.at, "the container may do more than it needs: %s", strings.Join(missing, ", "))
	}
}

// mount returns the volume that is mounted at a path, or at a folder above it, by name, or "".
func mount(container *yaml.Node, at string) string {
	best, volume := "", ""
	for _, m := range items(get(container, "volumeMounts")) {
		p := path.Clean(get(m, "mountPath").Value)
		if (p == at || strings.HasPrefix(at, p+"/")) && len(p) > len(best) {
			best, volume = p, get(m, "name").Value
		}
	}
	return volume
}

func (s sidecar) temporary() {
	volume := mount(s.n, "/tmp")
	switch {
	case volume == "" && s.security("readOnlyRootFilesystem").Value != "true":
		s.report(diag.SidecarTmp, s.at, "nothing is mounted at /tmp: renders are unpacked into the container's own file "+
			"system").Severity = diag.Warning
		return
	case volume == "":
		s.report(diag.SidecarTmp, s.at, "nothing is mounted at /tmp, where renders are unpacked")
		return
	case volume == "tmp":
		s.report(diag.SidecarTmp, s.at,
			"the volume tmp is that of the repo-server, which holds the repositories of all tenants")
		return
	}
	for _, other := range s.pod.containers {
		if other != s.n && mount(other, "/tmp") == volume {
			s.report(diag.SidecarTmp, s.at, "the volume %s is mounted at /tmp of another container, too", volume)
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
			s.report(diag.SidecarMount, s.at, "nothing is mounted at %s: %s", m[0], m[1])
		}
	}
	for _, m := range items(get(s.n, "volumeMounts")) {
		name := get(m, "name")
		if s.volume(name.Value) == absent && !slices.Contains(s.pod.known, name.Value) {
			s.report(diag.SidecarMount, orParent(name, m), "volume %q is not among the pod's volumes", name.Value)
		}
	}
}

// file checks where the plugin's file is. An image of one's own may hold it; a ConfigMap among the pod's volumes that
// the container does not mount is more likely to.
func (s sidecar) file() {
	if mount(s.n, pluginFile) != "" {
		return
	}
	mounted := map[string]bool{}
	for _, m := range items(get(s.n, "volumeMounts")) {
		mounted[get(m, "name").Value] = true
	}
	isForgotten := slices.ContainsFunc(s.pod.volumes, func(v *yaml.Node) bool {
		return has(v, "configMap") && !mounted[get(v, "name").Value]
	})
	if isForgotten {
		s.report(diag.SidecarMount, s.at, "nothing is mounted at %s: the plugin's file", pluginFile)
		return
	}
	f := s.report(diag.SidecarMount, s.at, "nothing is mounted at %s: the image has to hold the plugin's file", pluginFile)
	f.Severity = diag.Info
}

func (s sidecar) volume(name string) *yaml.Node {
	for _, v := range s.pod.volumes {
		if get(v, "name").Value == name {
			return v
		}
	}
	return absent
}

// env returns the entry of a variable.
func (s sidecar) env(name string) *yaml.Node {
	for _, e := range items(get(s.n, "env")) {
		if get(e, "name").Value == name {
			return e
		}
	}
	return absent
}

func (s sidecar) hashKey() {
	if e := s.env("ROLLSTAMP_HASH_KEY"); e != absent {
		if has(e, "value") {
			s.report(diag.SidecarHashKey, e, "the hash key is written in the manifest").Severity = diag.Failure
			return
		}
		f := s.report(diag.SidecarHashKey, e,
			"the hash key is in the environment, which everything that the container starts inherits")
		f.Severity = diag.Info
		return
	}
	e := s.env("ROLLSTAMP_HASH_KEY_FILE")
	if e == absent {
		s.report(diag.SidecarHashKey, s.at,
			"no hash key is given: short values of Secrets can be guessed from their digests, and a key that comes "+
				"later restarts every consumer of a Secret once")
		return
	}
	file := get(e, "value")
	volume := s.volume(mount(s.n, path.Clean(file.Value)))
	switch secret, optional := secretOf(volume); {
	case !secret:
		s.report(diag.SidecarHashKey, orParent(file, e), "%s does not lie on a volume that is a Secret", file.Value)
	case optional:
		s.report(diag.SidecarHashKey, volume,
			"the Secret is optional; without it no application can be rendered").Hint = "Take optional out, so " +
			"that the pod waits for the Secret."
	}
}

// secretOf reports whether a volume is a Secret, with any driver, and whether it may be missing.
func secretOf(volume *yaml.Node) (secret, optional bool) {
	if has(volume, "csi") {
		return true, false
	}
	for _, s := range append(items(get(volume, "projected", "sources")), volume) {
		if n := get(s, "secret"); n != absent {
			return true, get(n, "optional").Value == "true"
		}
	}
	return false, false
}

func (s sidecar) policy() {
	e := s.env("ROLLSTAMP_POLICY")
	if e == absent {
		s.report(diag.SidecarPolicy, s.at, "there is no policy file; nothing is allowed but what the environment grants")
		return
	}
	file := get(e, "value")
	name := mount(s.n, path.Clean(file.Value))
	volume := s.volume(name)
	switch {
	case strings.HasPrefix(path.Clean(file.Value), "/tmp/") || !path.IsAbs(file.Value):
		s.report(diag.SidecarPolicy, orParent(file, e),
			"%s can be in the rendered tree, whose author must not allow anything", file.Value).Severity = diag.Failure
	case name == "" && s.security("readOnlyRootFilesystem").Value != "true":
		s.report(diag.SidecarPolicy, orParent(file, e), "%s lies on a file system that renders can write",
			file.Value).Severity = diag.Warning
	case name != "" && (has(volume, "emptyDir") || has(volume, "hostPath") || has(volume, "persistentVolumeClaim")):
		s.report(diag.SidecarPolicy, orParent(file, e), "%s lies on volume %s, which more than the operator may write",
			file.Value, name).Severity = diag.Warning
	}
}
