package lint

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// ownPrefix begins the names of rollstamp's variables.
const ownPrefix = "ROLLSTAMP_"

// variables checks the environment of the container: names that rollstamp does not read, and values that it refuses.
func (s sidecar) variables() {
	var own []string
	sensitive := map[string]bool{}
	for _, v := range config.Vars() {
		if strings.HasPrefix(v.Name, ownPrefix) {
			own = append(own, v.Name)
		}
		sensitive[v.Name] = v.Sensitive
	}
	seen := map[string]int{}
	for _, e := range items(get(s.n, "env")) {
		name := get(e, "name")
		if first, twice := seen[name.Value]; twice && strings.HasPrefix(name.Value, ownPrefix) {
			s.report(diag.SidecarVariable, name, "%s is given twice, first in line %d; the last one counts", name.Value,
				first+s.offset)
		}
		seen[name.Value] = name.Line
		near := nearly(name.Value, own)
		isOwn := strings.HasPrefix(name.Value, ownPrefix) && !isFilledIn(name.Value)
		switch {
		case slices.Contains(own, name.Value):
			if !sensitive[name.Value] {
				s.variable(name.Value, get(e, "value"))
				s.folder(name.Value, get(e, "value"))
			}
		case near != "":
			s.report(diag.SidecarVariable, name, "rollstamp reads no variable %s%s", name.Value, didYouMean(near))
		case isOwn && !s.isNamedInPolicy(name.Value):
			s.report(diag.SidecarVariable, name, "rollstamp reads no variable %s%s", name.Value,
				config.SuggestBehind(ownPrefix, name.Value, own))
		}
	}
}

// variable checks the value of one of rollstamp's variables, where it is written there.
func (s sidecar) variable(name string, value *yaml.Node) {
	if s.rules.Variable == nil || value == absent || isFilledIn(value.Value) || s.isWrong(value) {
		return
	}
	for _, err := range diag.Unjoin(s.rules.Variable(name, value.Value)) {
		f := s.report(diag.SidecarVariable, value, "%s", diag.CauseOf(err).Error())
		f.Severity, f.Hint = diag.Failure, diag.HintOf(err)
	}
}

// folder checks that a folder which rollstamp writes to can be written.
func (s sidecar) folder(name string, value *yaml.Node) {
	if !slices.Contains([]string{config.EnvCacheDir, config.EnvRenderCache}, name) || !path.IsAbs(value.Value) {
		return
	}
	at := path.Clean(value.Value)
	if mountOf(s.n, at) == absent && s.security("readOnlyRootFilesystem").Value == "true" {
		s.report(diag.SidecarVariable, value, "%s: nothing is mounted at %s, and the container's file system is read-only%s",
			name, value.Value, didYouMean(s.mountedFor(at))).Hint = "Mount a volume there."
	}
}

// isNamedInPolicy reports whether a policy file of this file has the name: it may be that of a variable with a token.
func (s sidecar) isNamedInPolicy(variable string) bool {
	for key := range s.policyKeys {
		object, name, _ := strings.Cut(key, "/")
		if one := s.contents[object]; one != nil && strings.Contains(one.texts[name].text, variable) {
			return true
		}
	}
	return false
}
