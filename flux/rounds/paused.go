package rounds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/policy"
)

// reportPaused reports that what a workload reads stays in the cluster as it was, while its provider is suspended.
func (m *member) reportPaused(n need, provider *member) {
	if !provider.Suspend || m.Suspend {
		return
	}
	m.paused = append(m.paused, n.Ref)
	f := diag.New(diag.FluxPaused, n.workload, fmt.Sprintf("it reads %s, which %s applies, and that is suspended",
		n.Ref, provider)).WithAbout(n.Ref.String()).At(m.Pos)
	if !slices.ContainsFunc(m.findings, func(have diag.Finding) bool { return have.Identity() == f.Identity() }) {
		m.findings = append(m.findings, f)
	}
}

// IsPaused reports whether a ConfigMap or Secret that an application reads stays in the cluster as it was: what applies
// it is suspended, and the application is not.
func (s *Source) IsPaused(name string, o app.Object) bool {
	m := s.named[name]
	return m != nil && slices.Contains(m.paused,
		values.Ref{Kind: o.Kind, Namespace: cmp.Or(o.Namespace, m.namespace()), Name: o.Name})
}

// reportPausedValues reports that values of a member stay in the cluster as they were, while what applies them is
// suspended.
func (s *Source) reportPausedValues(m *member) {
	for _, data := range m.inputs.Values {
		for _, p := range s.members {
			if data != nil && p.Suspend && !m.Suspend && data.From == p.String() && p.destination() == m.home() {
				m.report(diag.FluxPaused, fmt.Sprintf("it takes values from %s, which %s applies, and that is suspended",
					data.Ref, p))
			}
		}
	}
}

// reportLeftValues reports that values of a member are those of Git, while Flux leaves the object in the cluster as it
// is.
func (m *member) reportLeftValues() {
	for _, data := range m.inputs.Values {
		if data != nil && data.Left != "" {
			m.report(diag.FluxLeft, fmt.Sprintf("it takes values from %s, which Flux leaves as it is in the cluster: %s",
				data.Ref, data.Left))
		}
	}
}

// left returns why what applies the object of a member leaves it in the cluster as it is; "" where it does not.
func (m *member) left() string {
	if m.parent == nil || m.parent.kustomization == nil {
		return ""
	}
	return policy.FluxLeaves(func(key, value string) bool {
		return strings.EqualFold(m.Labels[key], value) || strings.EqualFold(m.Annotations[key], value)
	})
}

// IsLeft reports whether what Git says of the object of an application has no effect in the cluster, where it stays as
// it is.
func (s *Source) IsLeft(name string) bool {
	m := s.named[name]
	return m != nil && m.left() != ""
}
