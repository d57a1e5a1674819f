package rounds

import "github.com/rollstamp/rollstamp/app"

// MayLack reports whether a namespace in the cluster of an application may have objects that the run does not know: a
// release that failed may render them, a Kustomization whose files are not at hand may apply them, or the application
// waits for what is not among those of the run.
func (s *Source) MayLack(application, namespace string) bool {
	m := s.named[application]
	if m == nil {
		return false
	}
	for _, f := range s.members {
		isBeside := f.err != nil && f.destination().Like(m.destination()) == app.SameCluster
		switch {
		case !isBeside:
		case f.release != nil && f.namespace() == namespace:
			return true
		case f.kustomization != nil && f.folder == "": // the readers of the others fail with them
			return true
		}
	}
	for at := m; at != nil; at = at.parent {
		for _, to := range at.dependsOn() {
			if s.dependency(at, to) == nil {
				return true
			}
		}
	}
	return false
}
