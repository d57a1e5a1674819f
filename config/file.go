package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// FileName is the configuration file that is looked for.
const FileName = ".rollstamp.yaml"

// MaxLevel is the newest level of coverage that this version knows, and the one in force where none is given.
const MaxLevel = 1

// File is a configuration file, with the values that it takes over from the files it extends. What a field means is told by
// its comment, which is also its description in the JSON schema.
type File struct {
	// Path of a parent file, relative to this file and inside the same repository. Its values are the defaults that this file's fields replace as a whole; only deny adds up.
	Extends string `yaml:"extends"`
	// Freezes what is covered (kinds, reference positions) at a level, so that an upgrade restarts nothing unasked. The newest level where absent.
	Level Level `yaml:"level"`
	// Whether a run without a hash key is an error.
	HashKey KeyRule `yaml:"hashKey"`
	// Keeps the digests of this application apart from those of others that are made with the same hash key.
	HashDomain NonEmpty `yaml:"hashDomain"`
	// Kubernetes version that charts are rendered for, as --kube-version.
	KubeVersion KubeVersion `yaml:"kubeVersion"`
	// API versions that charts believe to be there, as --api-versions.
	APIVersions []NonEmpty `yaml:"apiVersions"`
	// Namespace of objects that name none, as --namespace.
	Namespace NonEmpty `yaml:"namespace"`
	// The least severity of a finding that makes the exit code 1.
	FailOn FailOn `yaml:"failOn"`
	// What findings count as, by their code: error, warning, info, or off, which drops them.
	Severities map[string]string `yaml:"severities"`
	// Leaves out of the digests what is read only through volumes that the kubelet updates in place.
	LiveVolumes bool `yaml:"liveVolumes"`
	// Settings for workloads; the first entry that matches a workload counts.
	Workloads []WorkloadRule `yaml:"workloads"`
	// ConfigMaps and Secrets that restart nothing.
	Ignore []ContentMatch `yaml:"ignore"`
	// Custom kinds that hold pod templates or references to ConfigMaps and Secrets. Each kind has one rule.
	Kinds []KindRule `yaml:"kinds"`
	// Custom kinds that make ConfigMaps and Secrets in the cluster. Each kind has one rule, which replaces what is built in for it.
	Producers []ProducerRule `yaml:"producers"`
	// What stands for values that are in no manifest.
	Secrets SecretsRule `yaml:"secrets"`
	// Files and folders of further manifests in the same repository, relative to this file: stores, ConfigMaps and Secrets of other applications are looked up there. Nothing of them is rendered.
	Context []NonEmpty `yaml:"context"`
	// Which files of a folder of plain manifests are rendered.
	Render RenderRule `yaml:"render"`
	// Options of an application that Argo CD renders with rollstamp as its plugin.
	ArgoCD ArgoCD `yaml:"argocd"`
	// Permissions that this tree gives up, even where the operator grants them. A file can never grant one.
	Deny []Permission `yaml:"deny"`

	path   string
	where  map[string]diag.Position // of each field that is given, by its dotted name
	denied map[Permission]diag.Position
}

// Path returns the file that was found, absolute; "" where there is none.
func (f *File) Path() string { return f.path }

// Where reports where a field ("level", "render.include") is given, and whether it is.
func (f *File) Where(field string) (diag.Position, bool) {
	p, ok := f.where[field]
	return p, ok
}

// check refuses a second rule for a kind: which of the two counts would be a guess.
func (f *File) check() error {
	for _, code := range slices.Sorted(maps.Keys(f.Severities)) {
		if err := CheckSeverity(code, f.Severities[code]); err != nil {
			return &mistake{"severities", err}
		}
	}
	type kind struct{ group, kind string }
	seen := map[kind]bool{}
	for i, k := range f.Kinds {
		id := kind{k.Group, string(k.Kind)}
		if seen[id] {
			return &mistake{fmt.Sprintf("kinds[%d]", i), fmt.Errorf("there is a rule for kind %s of group %q already", k.Kind, k.Group)}
		}
		seen[id] = true
	}
	for i, p := range f.Producers {
		id := kind{"producer of " + p.Group, string(p.Kind)}
		if seen[id] {
			return &mistake{fmt.Sprintf("producers[%d]", i), fmt.Errorf("there is a rule for kind %s of group %q already", p.Kind, p.Group)}
		}
		seen[id] = true
	}
	return nil
}

// WorkloadRule sets what a workload's own annotations leave open.
type WorkloadRule struct {
	// Which workloads the entry is for.
	Match Match `yaml:"match" json:"match" schema:"required"`
	// auto stamps kinds that restart by a rollout; on stamps in any case; off leaves the workload alone.
	Mode Mode `yaml:"mode,omitempty" json:"mode,omitempty"`
	// As the field of the same name at the top, for these workloads only.
	LiveVolumes *bool `yaml:"liveVolumes,omitempty" json:"liveVolumes,omitempty"`
}

// KindRule reports where objects of a custom kind hold pod templates and references. Paths begin at the object's root: fields
// with dots between them, "[*]" behind a field for each item of its list, "*" for each value of a map.
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
}

// Stamped reports whether objects of the kind are stamped.
func (k KindRule) Stamped() bool { return k.Stamp == nil || *k.Stamp }

// check fills in the paths that follow from the template.
func (k *KindRule) check() error {
	if !k.Template.IsZero() {
		k.PodSpec = k.PodSpec.or(k.Template.Field("spec"))
		k.Annotations = k.Annotations.or(k.Template.Field("metadata").Field("annotations"))
	}
	if k.PodSpec.IsZero() && len(k.References) == 0 {
		return errors.New("a rule for a kind needs template, podSpec or references")
	}
	if k.Stamped() && k.Annotations.IsZero() {
		return errors.New("a rule for a kind that is stamped needs template or annotations; or set stamp: false")
	}
	return checkGroup(k.Group)
}

// ReferenceRule is a place in a custom kind that names a ConfigMap or Secret.
type ReferenceRule struct {
	// Path of the reference: a map that holds the name or, with an empty name, the name itself.
	Path Path `yaml:"path" json:"path" schema:"required"`
	// Kind of the object that is named.
	Kind ContentKind `yaml:"kind" json:"kind" schema:"required"`
	// Field of the reference that holds the object's name; "name" where absent, "" or "." where the path leads to the name itself.
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

// RenderRule selects files of a folder of plain manifests.
type RenderRule struct {
	// Globs of the files that are read, relative to the folder; *.yaml, *.yml and *.json where absent.
	Include []Glob `yaml:"include"`
	// Globs of the files that are left out.
	Exclude []Glob `yaml:"exclude"`
	// Whether folders in the folder are read too.
	Recursive bool `yaml:"recursive"`
	// What becomes of the hashes that charts write into pod templates, which move with labels and versions: keep leaves them, drop takes them out of workloads that are stamped, replace only of those that get a stamp in their place.
	ForeignChecksums Foreign `yaml:"foreignChecksums"`
	// Globs of the annotations that are such hashes; * matches all but a slash. checksum/*, checksum-*, */checksum, config-hash and */config-hash where absent.
	ForeignAnnotations []Glob `yaml:"foreignAnnotations"`
}

// argoOptions names the options for Argo CD that the file has. Their values may be anybody's.
func (f *File) argoOptions() []string {
	var out []string
	for field := range f.where {
		if option, is := strings.CutPrefix(field, "argocd."); is && (strings.Count(option, ".") == 1 || option == "refs" || option == "allowEmpty") {
			out = append(out, option)
		}
	}
	slices.Sort(out)
	return out
}
