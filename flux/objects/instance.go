package objects

import (
	"cmp"

	"github.com/rollstamp/rollstamp/manifest/typed"
)

// OperatorGroup is the API group of flux-operator.
const OperatorGroup = "fluxcd.controlplane.io"

// The kinds of flux-operator: it installs Flux of the one, and makes other objects of the other.
const (
	instanceKind = "FluxInstance"
	ResourceSet  = "ResourceSet"
)

// Instance is a FluxInstance: in the cluster, flux-operator makes the first source and the first Kustomization of it.
type Instance struct {
	Meta
	Spec InstanceSpec
}

// InstanceSpec is spec of a FluxInstance.
type InstanceSpec struct {
	Sync struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"sync"`
}

// Source returns the source that is made of it, with the namespace as its name where it names none.
func (i *Instance) Source() Reference {
	sync := i.Spec.Sync
	return Reference{Kind: sync.Kind, Namespace: i.Namespace, Name: cmp.Or(sync.Name, i.Namespace)}
}

// addOperated adds an object of flux-operator. One that cannot be read makes nothing known, and is flux-operator's to
// refuse.
func (o *Objects) addOperated(object typed.Object) {
	meta, err := readMeta(object)
	if err != nil {
		return
	}
	if object.Kind == ResourceSet {
		o.Sets = append(o.Sets, meta)
		return
	}
	i := &Instance{Meta: meta}
	if i.decode(&i.Spec) == nil && i.Spec.Sync.Kind != "" {
		o.Instances = append(o.Instances, i)
	}
}
