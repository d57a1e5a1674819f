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
	return s.flag("--name", program)
}

// flag returns the value of a flag that the container's program is started with.
func (s sidecar) flag(name, otherwise string) string {
	args := s.argv()
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
		if arg == name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return otherwise
}

// command checks what the container runs: Argo CD's plugin server, or rollstamp in its place.
func (s sidecar) command() {
	var first *yaml.Node
	argv := s.argv()
	for _, n := range append(items(get(s.n, "command")), items(get(s.n, "args"))...) {
		if first == nil {
			first = n
		}
	}
	switch {
	case first == nil, len(items(get(s.n, "command"))) == 0 && !s.serving():
		s.report(diag.SidecarCommand, s.at, "the container runs its image's own program")
	case isFilledIn(argv[0]):
	case path.Base(argv[0]) == program:
		s.program(first)
		s.arguments(get(s.n, "args"), argv[1:])
	case path.Base(argv[0]) == pluginServer:
		if path.Dir(argv[0]) != binaries && nearly(path.Dir(argv[0]), []string{binaries}) != "" {
			s.report(diag.SidecarCommand, first, "command: there is no %s%s", argv[0], didYouMean(binaries+"/"+pluginServer))
		}
	case s.serving() && nearly(path.Base(argv[0]), []string{program}) == "": // a program of another name may start it
	default:
		near := nearly(path.Base(argv[0]), []string{pluginServer, program})
		s.report(diag.SidecarCommand, first, "command: %s is not Argo CD's plugin server%s", argv[0], didYouMean(near))
	}
}

// program checks where rollstamp's program is, by the place that its image has it in.
func (c *checker) program(at *yaml.Node) {
	if near := nearly(path.Dir(at.Value), []string{programFolder}); near != "" {
		f := c.report(diag.SidecarCommand, at, "command: there may be no %s%s", at.Value, didYouMean(near+"/"+program))
		f.Severity, f.Hint = diag.Warning, ""
	}
}

const programFolder = "/usr/local/bin"

// arguments checks the words that rollstamp is started with.
func (s sidecar) arguments(at *yaml.Node, words []string) {
	if !s.serving() {
		s.report(diag.SidecarCommand, orParent(at, s.at), "the container runs rollstamp %s, and not argocd serve",
			strings.Join(words[:min(2, len(words))], " "))
		return
	}
	s.words(diag.SidecarCommand, orParent(at, s.at), "args", words)
}

// words reports what rollstamp says to the words behind its name.
func (c *checker) words(code diag.Code, at *yaml.Node, where string, words []string) {
	if c.rules.Command == nil || slices.ContainsFunc(words, isFilledIn) {
		return
	}
	if err := c.rules.Command(words); err != nil {
		f := c.report(code, at, "%s: %v", where, diag.CauseOf(err))
		f.Hint = diag.HintOf(err)
	}
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
	case u == absent && nonRoot && (s.pod.byOperator || s.isOwnImage()): // the image's, which is that one, or OpenShift's
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
	seccomp := get(s.security("seccompProfile"), "type")
	near := nearly(seccomp.Value, []string{"Localhost", "RuntimeDefault", "Unconfined"})
	if seccomp != absent && near != "" {
		s.report(diag.PluginValue, seccomp, "seccompProfile.type: there is no %s%s", seccomp.Value, didYouMean(near))
	}
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

// file checks where the plugin's file is. An image of one's own may hold it; a ConfigMap among the pod's volumes that
// the container does not mount is more likely to, as is one that it mounts at a path which looks like the file's.
func (s sidecar) file() {
	file := s.flag("--config-dir-path", configFolder) + "/plugin.yaml"
	if m := mountOf(s.n, file); m != absent {
		s.holdsPlugin(m, file)
		return
	}
	mounted := map[string]bool{}
	for _, m := range items(get(s.n, "volumeMounts")) {
		mounted[get(m, "name").Value] = true
	}
	isForgotten := slices.ContainsFunc(s.pod.volumes, func(v *yaml.Node) bool {
		return has(v, "configMap") && !mounted[get(v, "name").Value]
	})
	if isForgotten || s.misplaced(file) != absent || s.misplaced(path.Dir(file)) != absent {
		s.notMounted(file, "the plugin's file")
		return
	}
	f := s.report(diag.SidecarMount, s.at, "nothing is mounted at %s: the image has to hold the plugin's file", file)
	f.Severity = diag.Info
}

// holdsPlugin checks that what is mounted as the plugin's file is one.
func (s sidecar) holdsPlugin(m *yaml.Node, file string) {
	at := get(m, "mountPath")
	key, missing := s.keyIn(s.volume(get(m, "name").Value), inVolume(m, file))
	object, name, _ := strings.Cut(key, "/")
	switch {
	case missing != "" && get(m, "subPath").Value == "": // else the subPath is reported
		s.report(diag.SidecarMount, at, "%s, which would be the plugin's file", missing)
	case key != "" && s.contents[object].texts[name].file != "":
		var doc yaml.Node
		text := s.contents[object].texts[name].text
		if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
			s.report(diag.SidecarMount, at, "%s of %s is no plugin's file, and Argo CD starts no plugin", name, object)
			return
		}
		kind := get(doc.Content[0], "kind").Value
		if kind != pluginKind && nearly(kind, []string{pluginKind}) == "" { // else that is reported there
			s.report(diag.SidecarMount, at, "%s of %s is no %s, and Argo CD starts no plugin", name, object, pluginKind)
		}
	}
}

const pluginKind = "ConfigManagementPlugin"

// volumeNames returns the names of volumes that the container can mount.
func (s sidecar) volumeNames() []string {
	all := slices.Clone(s.pod.known)
	for _, v := range s.pod.volumes {
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
	m := mountOf(s.n, path.Clean(file.Value))
	volume := s.volume(get(m, "name").Value)
	_, missing := s.keyIn(volume, inVolume(m, path.Clean(file.Value)))
	switch secret, optional := secretOf(volume); {
	case !secret:
		s.report(diag.SidecarHashKey, orParent(file, e), "%s does not lie on a volume that is a Secret", file.Value)
	case missing != "":
		s.report(diag.SidecarHashKey, orParent(file, e), "%s: %s", file.Value, missing).Severity = diag.Failure
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
	m := mountOf(s.n, path.Clean(file.Value))
	name := get(m, "name").Value
	volume := s.volume(name)
	key, missing := s.keyIn(volume, inVolume(m, path.Clean(file.Value)))
	if key != "" {
		s.policyKeys[key] = true
	}
	switch {
	case s.mountedFor(path.Clean(file.Value)) != "":
		f := s.report(diag.SidecarPolicy, orParent(file, e), "nothing is mounted at %s%s", file.Value,
			didYouMean(s.mountedFor(path.Clean(file.Value))))
		f.Severity = diag.Failure
	case missing != "":
		s.report(diag.SidecarPolicy, orParent(file, e), "%s: %s", file.Value, missing).Severity = diag.Failure
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
