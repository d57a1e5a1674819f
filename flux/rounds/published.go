package rounds

// IsPublished reports whether what an application of the run renders is what an artifact or a branch holds, from where
// one Kustomization applies all of it. That is so for Kustomizations. It is not for HelmReleases, which helm-controller
// renders, nor for a Kustomization that was found in a render and is applied otherwise than what it was found in: to
// another cluster, as another account, or not at all. Such an object stays, and applies what it names.
func (s *Source) IsPublished(name string) bool {
	m := s.named[name]
	if m == nil || m.kustomization == nil {
		return false
	}
	for ; m.parent != nil; m = m.parent {
		if m.isSeparate() {
			return false
		}
	}
	return true
}

// isSeparate reports whether a member is applied otherwise than the one it was found in.
func (m *member) isSeparate() bool {
	own, by := m.kustomization, m.parent.kustomization
	return own == nil || by == nil || m.Suspend || m.destination() != m.parent.destination() ||
		own.Spec.ServiceAccountName != by.Spec.ServiceAccountName
}
