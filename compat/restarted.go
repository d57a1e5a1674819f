package compat

import (
	"slices"
	"strings"
)

// restarter is a tool that restarts workloads by an annotation.
type restarter struct {
	prefix string   // of its annotations
	kinds  []string // of the workloads that it restarts
	own    string   // how those begin that it reads of a workload itself, and not of its pod template; "" for none
}

var restarters = []restarter{
	{"wave.pusher.com/", []string{"Deployment", "StatefulSet", "DaemonSet"}, "wave.pusher.com/"},
	{"secrets.infisical.com/", []string{"Deployment", "StatefulSet", "DaemonSet"}, "secrets.infisical.com/auto-reload"},
	{"secrets-reloader.security.bank-vaults.io/", []string{"Deployment", "StatefulSet", "DaemonSet"}, ""},
	{"secrets.doppler.com/", []string{"Deployment"}, "secrets.doppler.com/reload"},
	{"operator.1password.io/", []string{"Deployment"}, "operator.1password.io/auto-restart"},
}

// restarterOf returns the tool of an annotation; nil for one that is not known.
func restarterOf(annotation string) *restarter {
	i := slices.IndexFunc(restarters, func(r restarter) bool { return strings.HasPrefix(annotation, r.prefix) })
	if i < 0 {
		return nil
	}
	return &restarters[i]
}

// Restarts reports whether the tool of an annotation restarts workloads of a kind, as far as that is known.
func Restarts(annotation, kind string) bool {
	r := restarterOf(annotation)
	return r == nil || slices.Contains(r.kinds, kind)
}

// ReadsTemplates reports whether the tool of an annotation reads its switch on a pod template, too, as far as that is
// known.
func ReadsTemplates(annotation string) bool {
	r := restarterOf(annotation)
	return r == nil || r.own == ""
}

// IsOwnOnly reports whether an annotation is read of a workload itself, and not of its pod template.
func IsOwnOnly(annotation string) bool {
	r := restarterOf(annotation)
	return r != nil && r.own != "" && strings.HasPrefix(annotation, r.own)
}
