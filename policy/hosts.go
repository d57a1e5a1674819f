package policy

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// The annotations of hosts: programs that hand manifests to others and go on with what they return.
const (
	// kustomize's, on what its generators made, while functions run: the name gets a hash of the content afterwards.
	needsSuffixAnnotation = "internal.config.kubernetes.io/needsHashSuffix"
	// Helm 4's, on each document that a post-renderer gets; hooks are among them.
	helmFileAnnotation = "postrenderer.helm.sh/postrender-filename"
	helmHookAnnotation = "helm.sh/hook"
	// kapp's: the object gets a name for each of its versions. Its value means nothing.
	versionedAnnotation = "kapp.k14s.io/versioned"
)

// RolledByName returns how a host changes the name of an object with its content later, which restarts those who refer
// to it; "" where none does. SkipAnnotation with "false" asks for a stamp nevertheless.
func RolledByName(s *config.Settings, object *objects.Object) string {
	switch {
	case object.Annotation(SkipAnnotation) != "":
		return ""
	case object.Annotation(needsSuffixAnnotation) == "enabled":
		return "gets a hash of its content into its name"
	case s.Compat.Kapp.Value == config.CompatHonour && !object.IsProduced() && object.HasAnnotation(versionedAnnotation):
		return "gets a name for each version from kapp"
	}
	return ""
}

// isHandedHook reports whether an object is a hook that Helm 4 hands to a post-renderer, as it does with all hooks.
func isHandedHook(o manifest.Object) bool {
	return isHook(o) && o.Node.At("metadata", "annotations", helmFileAnnotation).Valid()
}

// RunsAsHook reports whether Helm runs the object as a hook of the release that it is rendered for.
func (w *Workload) RunsAsHook() bool { return w.IsRelease && isHook(w.Object) }

// isHook reports whether an object is a hook of Helm.
func isHook(o manifest.Object) bool {
	return o.Node.At("metadata", "annotations", helmHookAnnotation).Valid()
}
