package policy

import (
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
)

// IsRolledByName reports whether a host adds a hash of an object's content to its name later, which restarts those who
// refer to it. SkipAnnotation with "false" asks for a stamp nevertheless.
func IsRolledByName(object *objects.Object) bool {
	return object.Annotation(needsSuffixAnnotation) == "enabled" && object.Annotation(SkipAnnotation) == ""
}

// isHandedHook reports whether an object is a hook that Helm 4 hands to a post-renderer, as it does with all hooks.
func isHandedHook(o manifest.Object) bool {
	annotations := o.Node.At("metadata", "annotations")
	return annotations.Get(helmFileAnnotation).Valid() && annotations.Get(helmHookAnnotation).Valid()
}
