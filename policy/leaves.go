package policy

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// The labels or annotations by which an object asks kustomize-controller not to apply it.
const (
	fluxReconcile = "kustomize.toolkit.fluxcd.io/reconcile"
	fluxSSA       = "kustomize.toolkit.fluxcd.io/ssa"
)

// FluxOmits returns why kustomize-controller neither creates nor changes an object; "" where it does. The function
// reports whether a label or an annotation of the object has a value, in any case of its letters.
func FluxOmits(has func(key, value string) bool) string {
	switch {
	case has(fluxReconcile, "disabled"):
		return fluxReconcile + " is disabled"
	case has(fluxSSA, "ignore"):
		return fluxSSA + " is Ignore"
	}
	return ""
}

// FluxLeaves returns why kustomize-controller does not change an object that is in the cluster, as FluxOmits does.
func FluxLeaves(has func(key, value string) bool) string {
	if why := FluxOmits(has); why != "" || !has(fluxSSA, "ifnotpresent") {
		return why
	}
	return fluxSSA + " is IfNotPresent"
}

// LeftByFlux returns why kustomize-controller does not change an object of a manifest that is in the cluster; "" where
// it does.
func LeftByFlux(o manifest.Object) string {
	labels, annotations := o.Node.At("metadata", "labels"), o.Node.At("metadata", "annotations")
	if !labels.Valid() && !annotations.Valid() {
		return ""
	}
	return FluxLeaves(func(key, value string) bool {
		return strings.EqualFold(labels.Get(key).StringValue(), value) ||
			strings.EqualFold(annotations.Get(key).StringValue(), value)
	})
}
