package lint

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

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
	for _, err := range diag.Unjoin(c.rules.Command(words)) {
		f := c.report(code, at, "%s: %v", where, diag.CauseOf(err))
		f.Severity, f.Hint = diag.Failure, diag.HintOf(err)
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
	if at := s.mountedPlugin(); at != absent {
		s.report(diag.SidecarMount, at, "nothing is mounted at %s, but at %s: the plugin's file", file, at.Value)
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

// mountedPlugin returns the path at which a ConfigMap with a plugin's file is mounted; absent where none is.
func (s sidecar) mountedPlugin() *yaml.Node {
	for _, m := range items(get(s.n, "volumeMounts")) {
		sources, _ := sourcesIn(s.volume(get(m, "name").Value))
		for _, of := range sources {
			one := s.contents[of.kind+" "+of.name.Value]
			if one == nil {
				continue
			}
			for _, text := range one.texts {
				if strings.Contains(text.text, "kind: "+pluginKind) {
					return orParent(get(m, "mountPath"), m)
				}
			}
		}
	}
	return absent
}

// holdsPlugin checks that what is mounted as the plugin's file is one.
func (s sidecar) holdsPlugin(m *yaml.Node, file string) {
	at := get(m, "mountPath")
	key, missing := s.keyIn(s.volume(get(m, "name").Value), inVolume(m, file))
	object, name, _ := strings.Cut(key, "/")
	switch {
	case s.asFolder(diag.SidecarMount, file, "the plugin's file"):
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
