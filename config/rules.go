package config

import "errors"

// WorkloadRule sets what a workload's own annotations leave open.
type WorkloadRule struct {
	// Which workloads the entry is for.
	Match Match `yaml:"match" json:"match" schema:"required"`
	// auto stamps kinds that restart by a rollout; on stamps in any case; off leaves the workload alone.
	Mode Mode `yaml:"mode,omitempty" json:"mode,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	LiveVolumes *bool `yaml:"liveVolumes,omitempty" json:"liveVolumes,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	Strategy Strategy `yaml:"strategy,omitempty" json:"strategy,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	Combined *bool `yaml:"combined,omitempty" json:"combined,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	AllContainers *bool `yaml:"allContainers,omitempty" json:"allContainers,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	Reload Reload `yaml:"reload,omitempty" json:"reload,omitempty"`
}

// KindRule reports where objects of a custom kind hold pod templates and references. Paths begin at the object's
// root: fields with dots between them, "[*]" behind a field for each item of its list, "*" for each value of a map.
type KindRule struct {
	// API group of the kind, "" for the core group; its versions do not matter.
	Group string `yaml:"group,omitempty" json:"group,omitempty"`
	// The kind, as manifests spell it.
	Kind NonEmpty `yaml:"kind" json:"kind" schema:"required"`
	// Path of the pod template, which holds metadata and spec.
	Template Path `yaml:"template,omitempty" json:"template,omitzero"`
	// Path of the pod spec; by default spec in the template.
	PodSpec Path `yaml:"podSpec,omitempty" json:"podSpec,omitzero"`
	// Path of the annotations that the digests are written to; by default metadata.annotations in the template.
	Annotations Path `yaml:"annotations,omitempty" json:"annotations,omitzero"`
	// Whether objects of the kind are stamped; yes where absent. Otherwise their references are only reported.
	Stamp *bool `yaml:"stamp,omitempty" json:"stamp,omitempty"`
	// References to ConfigMaps and Secrets outside the pod spec.
	References []ReferenceRule `yaml:"references,omitempty" json:"references,omitempty"`
	// Values of ConfigMaps and Secrets that are written into fields of the objects.
	Copies []CopyRule `yaml:"copies,omitempty" json:"copies,omitempty"`
}

// IsStamped reports whether objects of the kind are stamped.
func (k KindRule) IsStamped() bool {
	return (k.Stamp == nil || *k.Stamp) && (k.DescribesConsumers() || !k.Annotations.IsZero())
}

// check fills in the paths that follow from the template.
func (k *KindRule) check() error {
	if !k.Template.IsZero() {
		k.PodSpec = k.PodSpec.or(k.Template.Field("spec"))
		k.Annotations = k.Annotations.or(k.Template.Field("metadata").Field("annotations"))
	}
	if !k.DescribesConsumers() && len(k.Copies) == 0 {
		return errors.New("a rule for a kind needs template, podSpec, references or copies")
	}
	if k.IsStamped() && k.Annotations.IsZero() {
		return errors.New("a rule for a kind that is stamped needs template or annotations; or set stamp: false")
	}
	if err := checkGroup(k.Group); err != nil {
		return err
	}
	return k.checkCopies()
}

// ReferenceRule is a place in a custom kind that names a ConfigMap or Secret.
type ReferenceRule struct {
	// Path of the reference: a map that holds the name, or the name itself.
	Path Path `yaml:"path" json:"path" schema:"required"`
	// Kind of the object that is named.
	Kind ContentKind `yaml:"kind" json:"kind" schema:"required"`
	// Field of the reference that holds the object's name; "name" where absent. A text is the name itself.
	Name Path `yaml:"name" json:"name"`
	// Field of the reference that holds the key; all keys count where absent.
	Key Path `yaml:"key,omitempty" json:"key,omitzero"`
}

func (r *ReferenceRule) defaults() { r.Name = Path{}.Field("name") }

func (r *ReferenceRule) check() error {
	if r.Path.IsZero() {
		return errors.New("the path of a reference is empty")
	}
	if r.Name.IsZero() && !r.Key.IsZero() {
		return errors.New("a reference whose path leads to the name itself has no field for a key")
	}
	return nil
}
