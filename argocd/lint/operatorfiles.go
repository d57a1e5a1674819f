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
