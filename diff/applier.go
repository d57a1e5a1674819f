package diff

import (
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/policy"
)

// applier is what applies an application's objects, as far as that decides how they go over to what they become.
type applier struct {
	by app.Applier
	// forces: what cannot be changed is deleted and created by its options for all objects.
	forces bool
	// replacing: Argo CD replaces all objects, by an option of the Application; one that it may delete for that has an
	// annotation.
	replacing bool
	// release: Helm installs the objects as a release, and runs the hooks among them by itself.
	release bool
}

func applierOf(a *App) applier {
	return applier{
		by:        a.Applier,
		forces:    a.Applier == app.KustomizeController && a.Replacing != "",
		replacing: a.Applier == "" && strings.Contains(a.Replacing, "Replace=true"),
		release:   a.Render != nil && a.result().Output.IsRelease,
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

// over returns the same for an object that is in the cluster already, as it is written on the old side:
// kustomize-controller replaces it for its annotation there, too.
func (a applier) over(table map[string]any) applier {
	a.forces = a.forces || isForced(at(table, "metadata"))
	return a
}

// isForced reports whether an object has Flux replace it where it cannot be changed.
func isForced(metadata map[string]any) bool {
	return hasEntry(metadata, "kustomize.toolkit.fluxcd.io/force", "enabled")
}

// leaves returns why an object stays as it is in the cluster whatever is written; "" where it is applied.
func (a applier) leaves(table map[string]any) string {
	if a.by != app.KustomizeController {
		return ""
	}
	return policy.FluxLeaves(entriesOf(table))
}

// omits returns why an object is neither created nor changed; "" where it is.
func (a applier) omits(table map[string]any) string {
	if a.by != app.KustomizeController {
		return ""
	}
	return policy.FluxOmits(entriesOf(table))
}

// entriesOf reports which labels or annotations an object has.
func entriesOf(table map[string]any) func(key, value string) bool {
	metadata := at(table, "metadata")
	return func(key, value string) bool { return hasEntry(metadata, key, value) }
}

// replaces returns the engine that deletes and creates the object where it cannot be changed; "" where none does. Where
// it is not known what applies the object, each engine's annotation counts.
func (a applier) replaces(table map[string]any) string {
	metadata := at(table, "metadata")
	options, _ := at(metadata, "annotations")["argocd.argoproj.io/sync-options"].(string)
	switch {
	case a.forces, isForced(metadata):
		return "Flux"
	case a.by == app.KustomizeController:
		return ""
	case strings.Contains(options, "Force=true") && (a.replacing || strings.Contains(options, "Replace=true")):
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
