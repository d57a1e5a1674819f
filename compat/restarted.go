package compat

import (
	"slices"
	"strings"
)

// restartedKinds are the kinds of workloads that tools restart, by how their annotations begin.
var restartedKinds = []struct {
	prefix string
	kinds  []string
}{
	{"wave.pusher.com/", []string{"Deployment", "StatefulSet", "DaemonSet"}},
	{"secrets.infisical.com/", []string{"Deployment", "StatefulSet", "DaemonSet"}},
	{"secrets-reloader.security.bank-vaults.io/", []string{"Deployment", "StatefulSet", "DaemonSet"}},
	{"secrets.doppler.com/", []string{"Deployment"}},
	{"operator.1password.io/", []string{"Deployment"}},
}

// Restarts reports whether the tool of an annotation restarts workloads of a kind, as far as that is known.
func Restarts(annotation, kind string) bool {
	for _, tool := range restartedKinds {
		if strings.HasPrefix(annotation, tool.prefix) {
			return slices.Contains(tool.kinds, kind)
		}
	}
	return true
}
