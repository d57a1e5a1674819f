package objects

import (
	"cmp"

	"github.com/rollstamp/rollstamp/manifest/typed"
)

// OperatorGroup is the API group of flux-operator.
const OperatorGroup = "fluxcd.controlplane.io"

// instanceKind is the kind of which flux-operator installs Flux.
const instanceKind = "FluxInstance"

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

// addInstance adds a FluxInstance. One that cannot be read makes nothing known, and is flux-operator's to refuse.
func (o *Objects) addInstance(object typed.Object) {
	meta, err := readMeta(object)
	if err != nil {
		return
	}
	i := &Instance{Meta: meta}
	if i.decode(&i.Spec) == nil && i.Spec.Sync.Kind != "" {
		o.Instances = append(o.Instances, i)
	}
}
