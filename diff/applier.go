package diff

import (
	"strings"

	"github.com/rollstamp/rollstamp/app"
)

// applier is what applies an application's objects, as far as that decides how they go over to what they become.
type applier struct {
	by app.Applier
	// forces: what cannot be changed is deleted and created by its options for all objects.
	forces bool
	// release: Helm installs the objects as a release, and runs the hooks among them by itself.
	release bool
}

func applierOf(a *App) applier {
	return applier{
		by:      a.Applier,
		forces:  a.Applier == app.KustomizeController && a.Replacing != "",
		release: a.Result != nil && a.Result.Output.IsRelease,
	}
}

// hookOf returns the rollout of what runs with a release or a sync. For kustomize-controller nothing does: it applies
// what has such annotations as any other object.
func (a applier) hookOf(table map[string]any) (Rollout, bool) {
	if a.by == app.KustomizeController {
		return Rollout{}, false
	}
	return hookOf(table)
}

// replaces returns the engine that deletes and creates the object where it cannot be changed; "" where none does. Where
// it is not known what applies the object, each engine's annotation counts.
func (a applier) replaces(table map[string]any) string {
	metadata := at(table, "metadata")
	options, _ := at(metadata, "annotations")["argocd.argoproj.io/sync-options"].(string)
	switch {
	case a.forces, hasEntry(metadata, "kustomize.toolkit.fluxcd.io/force", "enabled"):
		return "Flux"
	case a.by == app.KustomizeController:
		return ""
	case strings.Contains(options, "Replace=true") && strings.Contains(options, "Force=true"):
		return "Argo CD"
	}
	return ""
}

// hasEntry reports whether a label or an annotation has a value, as Flux's controllers read them.
func hasEntry(metadata map[string]any, key, value string) bool {
	for _, field := range []string{"labels", "annotations"} {
		if v, _ := at(metadata, field)[key].(string); strings.EqualFold(v, value) {
			return true
		}
	}
	return false
}
