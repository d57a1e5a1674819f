package argocd

import (
	"errors"
	"regexp"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
)

// looseVersion matches a version as Kubernetes' own loose parser does: it ignores what follows the numbers.
var looseVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*v?((?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))+)(.*)$`)
})

// cluster returns the version and the APIs that charts see: those of the source, or else the destination's.
func (b Build) cluster(version string, apis []string) (string, []string, error) {
	if version == "" {
		version = b.KubeVersion
	}
	if len(apis) == 0 {
		apis = b.APIVersions
	}
	if version == "" {
		return "", apis, nil
	}
	m := looseVersion().FindStringSubmatch(version)
	if m == nil {
		return "", nil, usage("kubeVersion", "Write it as 1.34 or v1.34.2.", "could not parse kubernetes version %q",
			version)
	}
	return m[1], apis, nil
}

// hintOf returns the hint of an error that is about to be wrapped.
func hintOf(err error) string {
	var d *diag.Error
	if errors.As(err, &d) {
		return d.Hint
	}
	return ""
}
