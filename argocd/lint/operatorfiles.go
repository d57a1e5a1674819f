package lint

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

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
	name, at := get(e, "value").Value, orParent(get(e, "value"), e)
	if flag := s.flag("--hash-key-file", ""); flag != "" {
		name, at = flag, orParent(get(s.n, "args"), s.at)
	}
	switch {
	case at == absent && s.pluginNamesKey(), name == "" && has(e, "valueFrom"), isFilledIn(name):
		return
	case at == absent:
		s.report(diag.SidecarHashKey, s.at,
			"no hash key is given: short values of Secrets can be guessed from their digests, and a key that comes "+
				"later restarts every consumer of a Secret once")
		return
	case name == "":
		f := s.report(diag.SidecarHashKey, at, "ROLLSTAMP_HASH_KEY_FILE names no file, and each render is refused")
		f.Severity = diag.Failure
		return
	}
	file := path.Clean(name)
	m := mountOf(s.n, file)
	volume := s.volume(get(m, "name").Value)
	_, missing := s.keyIn(volume, inVolume(m, file))
	switch secret, optional := secretOf(volume); {
	case s.asFolder(diag.SidecarHashKey, file, "the file with the hash key"):
	case m != absent && volume == absent: // it is in another file, or reported
	case !secret:
		s.report(diag.SidecarHashKey, at, "%s does not lie on a volume that is a Secret", name)
	case missing != "":
		s.report(diag.SidecarHashKey, at, "%s: %s", name, missing).Severity = diag.Failure
	case optional:
		s.report(diag.SidecarHashKey, volume,
			"the Secret is optional; without it no application can be rendered").Hint = "Take optional out, so " +
			"that the pod waits for the Secret."
	}
}

// pluginNamesKey reports whether a plugin's file among the contents has its command name the hash key.
func (s sidecar) pluginNamesKey() bool {
	for _, one := range s.contents {
		for _, text := range one.texts {
			if strings.Contains(text.text, "kind: "+pluginKind) && strings.Contains(text.text, "--hash-key-file") {
				return true
			}
		}
	}
	return false
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
	at, file := orParent(get(e, "value"), e), path.Clean(get(e, "value").Value)
	switch value := get(e, "value").Value; {
	case value == "" && has(e, "valueFrom"), isFilledIn(value):
		return
	case value == "":
		f := s.report(diag.SidecarPolicy, at, "ROLLSTAMP_POLICY names no file; nothing is allowed but what the environment grants")
		f.Severity = diag.Warning
		return
	}
	m := mountOf(s.n, file)
	name := get(m, "name").Value
	volume := s.volume(name)
	key, missing := s.keyIn(volume, inVolume(m, file))
	if key != "" {
		s.policyKeys[key] = true
	}
	near, elsewhere := s.mountedFor(file), s.mountedFile(path.Base(file), "policy")
	wrong := func(severity diag.Severity, hint, format string, args ...any) {
		f := s.report(diag.SidecarPolicy, at, format, args...)
		f.Severity, f.Hint = severity, hint
	}
	const alike = "Mount the file where ROLLSTAMP_POLICY names it, or name it where it is mounted."
	const apart = "Mount a ConfigMap at a path of its own, such as /etc/rollstamp/policy."
	switch {
	case s.asFolder(diag.SidecarPolicy, file, "the policy file"):
	case strings.HasPrefix(file, "/tmp/") || !path.IsAbs(file):
		wrong(diag.Failure, apart, "%s can be in the rendered tree, whose author must not allow anything", file)
	case near != "":
		wrong(diag.Failure, alike, "nothing is mounted at %s%s", file, didYouMean(near))
	case m == absent && elsewhere != absent:
		wrong(diag.Failure, alike, "nothing is mounted at %s, but at %s: the policy file", file, elsewhere.Value)
	case m == absent && s.isOwnImage():
		wrong(diag.Failure, apart, "nothing is mounted at %s, and rollstamp's image has no such file: each render is refused", file)
	case missing != "":
		wrong(diag.Failure, "Name a file of the volume: each of its keys is one.", "%s: %s", file, missing)
	case m == absent && s.security("readOnlyRootFilesystem").Value != "true":
		wrong(diag.Warning, apart, "%s lies on a file system that renders can write", file)
	case m == absent:
		wrong(diag.Info, apart, "nothing is mounted at %s: the image has to hold the policy file", file)
	case has(volume, "emptyDir") || has(volume, "hostPath") || has(volume, "persistentVolumeClaim"):
		wrong(diag.Warning, apart, "%s lies on volume %s, which more than the operator may write", file, name)
	}
}
