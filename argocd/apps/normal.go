package apps

import (
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/argocd"
)

// normal returns the source as it is written, without options of a kind that say nothing: Argo CD's controller takes
// these out.
func (s *Source) normal() map[string]any {
	out := maps.Clone(s.raw)
	chosen := s.Chosen()
	for _, field := range argocd.NativeFields() {
		if !slices.Contains(chosen, field) {
			delete(out, field)
		}
	}
	return out
}
