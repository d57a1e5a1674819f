package lint

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// mountOf returns what is mounted at a path, or at a folder above it.
func mountOf(container *yaml.Node, at string) *yaml.Node {
	best, found := "", absent
	for _, m := range items(get(container, "volumeMounts")) {
		p := path.Clean(get(m, "mountPath").Value)
		if (p == at || strings.HasPrefix(at, p+"/")) && len(p) > len(best) {
			best, found = p, m
		}
	}
	return found
}

// mount returns the volume that is mounted at a path, or at a folder above it, by name, or "".
func mount(container *yaml.Node, at string) string { return get(mountOf(container, at), "name").Value }

// inVolume returns the path in a volume of what a container sees at another one.
func inVolume(m *yaml.Node, at string) string {
	below := strings.TrimPrefix(at, path.Clean(get(m, "mountPath").Value))
	return strings.TrimPrefix(path.Join(get(m, "subPath").Value, below), "/")
}

// fileOf is a ConfigMap or Secret that a volume has files of.
type fileOf struct {
	kind       string
	name, list *yaml.Node // its name, and the items that are taken of it
}

// sourcesIn returns the ConfigMaps and Secrets of a volume, and whether its files are theirs alone.
func sourcesIn(volume *yaml.Node) (all []fileOf, isAll bool) {
	isAll = true
	for _, of := range append(items(get(volume, "projected", "sources")), volume) {
		configMap, secret := get(of, "configMap"), get(of, "secret")
		switch {
		case configMap != absent:
			all = append(all, fileOf{"ConfigMap", get(configMap, "name"), get(configMap, "items")})
		case secret != absent:
			name := orParent(get(secret, "secretName"), get(secret, "name"))
			all = append(all, fileOf{"Secret", name, get(secret, "items")})
		case !has(of, "projected"):
			isAll = false
		}
	}
	return all, isAll && len(all) > 0
}

// keyIn returns the key of a ConfigMap or Secret that is a file of a volume, "Kind name/key", or why there is none.
// Both are "" where that is not known.
func (s sidecar) keyIn(volume *yaml.Node, file string) (key, missing string) {
	sources, isAll := sourcesIn(volume)
	for _, of := range sources {
		found := file
		if of.list != absent {
			found = ""
			var paths []string
			for _, item := range items(of.list) {
				if p := get(item, "path").Value; p == file {
					found = get(item, "key").Value
				} else {
					paths = append(paths, p)
				}
			}
			if found == "" {
				missing = "volume " + get(volume, "name").Value + " has no file " + file + didYouMean(nearly(file, paths))
				continue
			}
		}
		one := s.contents[of.kind+" "+of.name.Value]
		if one == nil {
			return "", ""
		}
		if missing = one.missing(of.kind, of.name.Value, found); missing == "" {
			return of.kind + " " + of.name.Value + "/" + found, ""
		}
	}
	if !isAll || isFilledIn(file) {
		missing = ""
	}
	return "", missing
}

// files checks that the volumes which are mounted have the files that are mounted of them.
func (s sidecar) files() {
	checked := map[*yaml.Node]bool{}
	for _, m := range items(get(s.n, "volumeMounts")) {
		volume, sub := s.volume(get(m, "name").Value), get(m, "subPath")
		if volume == absent {
			continue // it is reported already, or not in the file
		}
		if !checked[volume] {
			checked[volume] = true
			s.named(volume)
		}
		if sub.Value != "" {
			if _, missing := s.keyIn(volume, path.Clean(sub.Value)); missing != "" {
				s.report(diag.SidecarMount, sub, "%s", missing)
			}
		}
	}
}

// named checks the ConfigMaps and Secrets of a volume, and the keys that it takes of them.
func (s sidecar) named(volume *yaml.Node) {
	sources, _ := sourcesIn(volume)
	for _, of := range sources {
		one := s.contents[of.kind+" "+of.name.Value]
		if near := s.contents.near(of.kind, of.name.Value); one == nil && near != "" {
			s.report(diag.SidecarMount, of.name, "%s %s is not in this file%s", of.kind, of.name.Value, didYouMean(near)).
				Severity = diag.Warning
		}
		for _, item := range items(of.list) {
			key := get(item, "key")
			if one == nil {
				continue
			}
			if missing := one.missing(of.kind, of.name.Value, key.Value); missing != "" {
				s.report(diag.SidecarMount, orParent(key, item), "%s", missing)
			}
		}
	}
}

// misplaced returns the path of a mount that may be a misspelling of one which is needed; absent where there is none.
func (s sidecar) misplaced(needed string) *yaml.Node {
	for _, m := range items(get(s.n, "volumeMounts")) {
		at := get(m, "mountPath")
		if nearly(path.Clean(at.Value), []string{needed}) != "" {
			return at
		}
	}
	return absent
}

// notMounted reports that nothing is mounted where something is needed, at the mount that may be meant for it.
func (s sidecar) notMounted(needed, what string) *diag.Finding {
	at, instead := s.misplaced(needed), ""
	if at != absent {
		instead = ", but at " + at.Value
	}
	return s.report(diag.SidecarMount, orParent(at, s.at), "nothing is mounted at %s%s: %s", needed, instead, what)
}

// asFolder reports a volume that is mounted where a file is needed, without subPath: it is a folder there, in which the
// file may be.
func (s sidecar) asFolder(code diag.Code, file, what string) bool {
	m := mountOf(s.n, file)
	at, volume := get(m, "mountPath"), s.volume(get(m, "name").Value)
	if path.Clean(at.Value) != file || has(m, "subPath") || has(m, "subPathExpr") || has(volume, "hostPath") {
		return false
	}
	f := s.report(code, at, "%s is a folder, because its mount has no subPath, and has to be %s", file, what)
	f.Severity, f.Hint = diag.Failure, "subPath: "+s.keyFor(volume, path.Base(file))
	return true
}

// keyFor returns the file of a volume that is meant by the name of another: the one that is called so, or the only one.
func (s sidecar) keyFor(volume *yaml.Node, name string) string {
	sources, _ := sourcesIn(volume)
	for _, of := range sources {
		if one := s.contents[of.kind+" "+of.name.Value]; one != nil && len(one.texts) == 1 {
			for key := range one.texts {
				return key
			}
		}
	}
	return name
}

// mountedFile returns the path at which a volume with a file of a name is mounted, or one whose name has a word; absent
// where none is.
func (s sidecar) mountedFile(name, word string) *yaml.Node {
	for _, m := range items(get(s.n, "volumeMounts")) {
		volume := s.volume(get(m, "name").Value)
		key, _ := s.keyIn(volume, cmp.Or(get(m, "subPath").Value, name))
		isCalledSo := strings.Contains(get(m, "name").Value, word)
		sources, _ := sourcesIn(volume)
		for _, of := range sources {
			isCalledSo = isCalledSo || strings.Contains(of.name.Value, word)
		}
		if isCalledSo || path.Base(key) == name {
			return orParent(get(m, "mountPath"), m)
		}
	}
	return absent
}

// mountedFor returns the folder of a mount that may be meant for that of a file, where nothing is mounted there; ""
// where something is, or none may be.
func (s sidecar) mountedFor(file string) string {
	if mountOf(s.n, file) != absent {
		return ""
	}
	var folders []string
	for _, m := range items(get(s.n, "volumeMounts")) {
		folders = append(folders, path.Clean(get(m, "mountPath").Value))
	}
	return cmp.Or(nearly(path.Dir(file), folders), nearly(file, folders))
}

// probed checks the path that a probe asks rollstamp for.
func (s sidecar) probed(at *yaml.Node) {
	const health = "/healthz"
	if at != absent && s.serving() && at.Value != health && !isFilledIn(at.Value) {
		f := s.report(diag.SidecarCommand, at, "a probe asks for %s, and rollstamp answers on %s", at.Value, health)
		f.Hint = "A probe that fails restarts the container."
	}
}

// probes checks that the ports of probes which have names are those of the container.
func (s sidecar) probes() {
	var ports []string
	for _, p := range items(get(s.n, "ports")) {
		ports = append(ports, get(p, "name").Value)
	}
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		for _, way := range []string{"httpGet", "tcpSocket"} {
			s.probed(get(s.n, probe, way, "path"))
			port := get(s.n, probe, way, "port")
			if is, _ := kindOf(port); port == absent || is == number || slices.Contains(ports, port.Value) ||
				isFilledIn(port.Value) {
				continue
			}
			f := s.report(diag.SidecarCommand, port, "%s asks port %s, and the container has none of that name%s", probe,
				port.Value, didYouMean(nearly(port.Value, ports)))
			f.Hint = "Name it in the container's ports; a probe that fails restarts the container."
		}
	}
}
