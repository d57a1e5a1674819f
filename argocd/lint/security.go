package lint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

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
