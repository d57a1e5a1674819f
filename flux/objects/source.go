package objects

import "slices"

// sourceKinds are the kinds of sources.
var sourceKinds = []string{
	"GitRepository", "OCIRepository", "Bucket", "HelmRepository", "HelmChart", "ExternalArtifact",
}

// SourceKinds returns the kinds of sources.
func SourceKinds() []string { return slices.Clone(sourceKinds) }

// Source is an object of source-controller; its kind says which fields count.
type Source struct {
	Meta
	Spec SourceSpec
}

// SourceSpec is spec of a source, with the fields of all kinds.
type SourceSpec struct {
	URL      string         `json:"url"`      // GitRepository, OCIRepository, HelmRepository
	Type     string         `json:"type"`     // HelmRepository: "", default or oci
	Provider string         `json:"provider"` // whose identity is used; "" is generic
	Insecure bool           `json:"insecure"` // over HTTP
	Revision SourceRevision `json:"ref"`      // GitRepository, OCIRepository

	SecretRef     *KeyReference  `json:"secretRef"`
	CertSecretRef *KeyReference  `json:"certSecretRef"`
	Ignore        *string        `json:"ignore"` // what .sourceignore holds, instead of the default
	Suspend       bool           `json:"suspend"`
	LayerSelector *LayerSelector `json:"layerSelector"` // OCIRepository

	Include           []GitInclude `json:"include"` // GitRepository
	RecurseSubmodules bool         `json:"recurseSubmodules"`
	SparseCheckout    []string     `json:"sparseCheckout"`

	BucketName string `json:"bucketName"` // Bucket
	Endpoint   string `json:"endpoint"`
	Region     string `json:"region"`
	Prefix     string `json:"prefix"`

	ChartSpec // HelmChart; SourceRef also ExternalArtifact
}

// SourceRevision says which state of a repository is meant.
type SourceRevision struct {
	Branch       string `json:"branch"` // GitRepository
	Tag          string `json:"tag"`
	Semver       string `json:"semver"`
	SemverFilter string `json:"semverFilter"` // OCIRepository
	Name         string `json:"name"`         // GitRepository
	Commit       string `json:"commit"`
	Digest       string `json:"digest"` // OCIRepository
}

// LayerSelector says which layer of an artifact is taken, and how.
type LayerSelector struct {
	MediaType string `json:"mediaType"`
	Operation string `json:"operation"` // "", extract or copy
}

// GitInclude is another GitRepository whose files are put into this one.
type GitInclude struct {
	Repository KeyReference `json:"repository"`
	FromPath   string       `json:"fromPath"`
	ToPath     string       `json:"toPath"`
}
