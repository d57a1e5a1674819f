package objects

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kustomization is an object of that kind of kustomize-controller.
type Kustomization struct {
	Meta
	Spec KustomizationSpec
}

// KustomizationSpec is spec of a Kustomization.
type KustomizationSpec struct {
	SourceRef Reference `json:"sourceRef"`
	Path      string    `json:"path"` // in the source; "" is its top

	TargetNamespace         string          `json:"targetNamespace"`
	NamePrefix              string          `json:"namePrefix"`
	NameSuffix              string          `json:"nameSuffix"`
	Patches                 []Patch         `json:"patches"`
	Images                  []Image         `json:"images"`
	Components              []string        `json:"components"`
	IgnoreMissingComponents bool            `json:"ignoreMissingComponents"`
	BuildMetadata           []string        `json:"buildMetadata"`
	CommonMetadata          *CommonMetadata `json:"commonMetadata"`
	Decryption              *Decryption     `json:"decryption"`
	PostBuild               *PostBuild      `json:"postBuild"`

	DependsOn  []Dependency `json:"dependsOn"`
	KubeConfig *KubeConfig  `json:"kubeConfig"`
	// ServiceAccountName is the account that applies the objects; "" is the controller's own.
	ServiceAccountName string `json:"serviceAccountName"`

	Suspend bool `json:"suspend"`
	Wait    bool `json:"wait"`
	Prune   bool `json:"prune"`
	Force   bool `json:"force"`
	// DeletionPolicy is what becomes of the objects when the Kustomization goes; by default what Prune says.
	DeletionPolicy string `json:"deletionPolicy"`
	// Ignore names fields that are not applied after an object was made.
	Ignore []IgnoreRule `json:"ignore"`
}

// Reference names an object, such as a source.
type Reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"` // "" is that of the object that refers to it
}

// String returns "Kind namespace/name", or "Kind name" where it names no namespace.
func (r Reference) String() string {
	return Meta{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}.String()
}

// In returns the reference with a namespace where it names none.
func (r Reference) In(namespace string) Reference {
	if r.Namespace == "" {
		r.Namespace = namespace
	}
	return r
}

// Dependency names an object that has to be ready before.
type Dependency struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"` // "" is that of the object that depends on it
	ReadyExpr string `json:"readyExpr"`
}

// KubeConfig names the access to another cluster.
type KubeConfig struct {
	SecretRef    *KeyReference `json:"secretRef"`
	ConfigMapRef *KeyReference `json:"configMapRef"`
}

// KeyReference names a ConfigMap or Secret in the same namespace, and a key in it.
type KeyReference struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

// CommonMetadata are labels and annotations that all objects get.
type CommonMetadata struct {
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
}

// Decryption says what decrypts the files of a Kustomization.
type Decryption struct {
	Provider  string        `json:"provider"`
	SecretRef *KeyReference `json:"secretRef"`
}

// PostBuild are the variables that are substituted in what a Kustomization builds.
type PostBuild struct {
	Strategy       string            `json:"substituteStrategy"` // "", WithVariables or Always
	Substitute     map[string]string `json:"substitute"`
	SubstituteFrom []SubstituteFrom  `json:"substituteFrom"`
}

// SubstituteFrom names a ConfigMap or Secret with variables, in the Kustomization's namespace.
type SubstituteFrom struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Optional bool   `json:"optional"`
}

// Entry returns the entry that it is of a Kustomization.
func (s SubstituteFrom) Entry(index int) Entry {
	return Entry{[]string{"postBuild", "substituteFrom"}, index, s.Kind, s.Name}
}

// Patch is a patch of kustomize.
type Patch struct {
	Patch  string    `json:"patch"`
	Target *Selector `json:"target,omitempty"`
}

// Selector says which objects a patch is for.
type Selector struct {
	Group              string `json:"group,omitempty"`
	Version            string `json:"version,omitempty"`
	Kind               string `json:"kind,omitempty"`
	Namespace          string `json:"namespace,omitempty"`
	Name               string `json:"name,omitempty"`
	AnnotationSelector string `json:"annotationSelector,omitempty"`
	LabelSelector      string `json:"labelSelector,omitempty"`
}

// Image is an image of kustomize.
type Image struct {
	Name    string `json:"name"`
	NewName string `json:"newName,omitempty"`
	NewTag  string `json:"newTag,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// IgnoreRule names fields of objects.
type IgnoreRule struct {
	Paths  []string  `json:"paths"`
	Target *Selector `json:"target"`
}

// check refuses what the API server refuses.
func (k *Kustomization) check() error {
	s := k.Spec
	if err := k.checkReference("sourceRef", s.SourceRef, "GitRepository", "OCIRepository", "Bucket",
		"ExternalArtifact"); err != nil {
		return err
	}
	if d := s.Decryption; d != nil && d.Provider != "sops" {
		return k.FailAt(fmt.Errorf("spec.decryption.provider is %q; there is only sops", d.Provider), "",
			"decryption", "provider")
	}
	if s.PostBuild == nil {
		return nil
	}
	if !slices.Contains([]string{"", "WithVariables", "Always"}, s.PostBuild.Strategy) {
		return k.FailAt(fmt.Errorf("spec.postBuild.substituteStrategy is %q", s.PostBuild.Strategy),
			"It is WithVariables or Always.", "postBuild", "substituteStrategy")
	}
	for i, from := range s.PostBuild.SubstituteFrom {
		if err := k.checkValues(from.Entry(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkReference refuses a reference without a name, or to another kind.
func (m Meta) checkReference(field string, r Reference, kinds ...string) error {
	var path []any
	for key := range strings.SplitSeq(field, ".") {
		path = append(path, key)
	}
	switch {
	case r.Name == "":
		return m.FailAt(errors.New("spec."+field+" has no name"),
			"Name the source of its files there; a patch for another object is one under patches of a kustomization.", path...)
	case !slices.Contains(kinds, r.Kind):
		return m.FailAt(fmt.Errorf("spec.%s.kind is %q, which is no kind of source", field, r.Kind),
			fmt.Sprintf("It is one of %v.", kinds), append(path, "kind")...)
	}
	return nil
}

// checkValues refuses a reference to values that are neither in a ConfigMap nor in a Secret.
func (m Meta) checkValues(e Entry) error {
	fail := func(err error, hint string) error { return m.Fail(&fieldError{m, e.in, err}, hint) }
	switch {
	case e.Kind != "ConfigMap" && e.Kind != "Secret":
		return fail(fmt.Errorf("%s.kind is %q", e, e.Kind), "It is ConfigMap or Secret.")
	case e.Name == "":
		return fail(errors.New(e.String()+" has no name"), "Name the "+e.Kind+" with the values.")
	}
	return nil
}
