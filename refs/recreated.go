package refs

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// IsRecreated reports whether an object is deleted and created again rather than changed: it is a hook, annotations
// have its engine replace it, or each one has another name.
func IsRecreated(o manifest.Object) bool {
	meta := o.Node.Get("metadata")
	notes := meta.Get("annotations")
	options := notes.Get("argocd.argoproj.io/sync-options").StringValue()
	return notes.Get("helm.sh/hook").Valid() || notes.Get("argocd.argoproj.io/hook").Valid() ||
		strings.Contains(options, "Replace=true") && strings.Contains(options, "Force=true") ||
		notes.Get("kustomize.toolkit.fluxcd.io/force").StringValue() == "enabled" ||
		meta.Get("generateName").Valid()
}
