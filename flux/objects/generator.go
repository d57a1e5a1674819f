package objects

// Generator is an ArtifactGenerator of source-watcher: it makes ExternalArtifacts of the files of other sources.
type Generator struct {
	Meta
	Spec GeneratorSpec
}

// GeneratorSpec is spec of an ArtifactGenerator.
type GeneratorSpec struct {
	Sources   []GeneratorSource   `json:"sources"`
	Artifacts []GeneratedArtifact `json:"artifacts"`
}

// GeneratorSource is a source whose files are copied.
type GeneratorSource struct {
	Alias string `json:"alias"` // by which Copy names it
	Reference
}

// GeneratedArtifact is an ExternalArtifact in the generator's namespace.
type GeneratedArtifact struct {
	Name string `json:"name"`
	Copy []Copy `json:"copy"`
}

// Copy says which files an artifact has, from where.
type Copy struct {
	From     string   `json:"from"` // @alias/pattern
	To       string   `json:"to"`   // @artifact/path
	Exclude  []string `json:"exclude"`
	Strategy string   `json:"strategy"` // "", Overwrite, Merge or Extract
}
