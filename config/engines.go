package config

import "slices"

// AppKind is what an application's rule says it is.
type AppKind string

// Choices lists the values.
func (AppKind) Choices() []string {
	out := []string{"helm", "kustomize", "plain"}
	for _, e := range engines {
		out = append(out, string(e.Name))
	}
	return out
}

// UnmarshalText takes one of Choices.
func (k *AppKind) UnmarshalText(b []byte) error { return choose(k, string(b)) }

// Engine is a GitOps engine whose objects describe applications: a row for each adapter.
type Engine struct {
	Name  AppKind  // what --as says, and as: in a rule of applications
	Title string   // its own name; the heading of its flags in help
	One   string   // what describes an application, with its article: "an Application"
	Many  string   // several of that
	Found string   // all that is looked for in files
	Kinds []string // of objects that describe an application
	// FilesByName: render writes each application to NAMESPACE/NAME.yaml, and not to a file in a folder of its own.
	FilesByName bool
}

var engines = []Engine{
	{
		Name: "argocd", Title: "Argo CD",
		One: "an Application", Many: "Applications", Found: "Applications and ApplicationSets",
		Kinds: []string{"Application"},
	},
	{
		Name: "flux", Title: "Flux",
		One: "a Kustomization or HelmRelease", Many: "Kustomizations and HelmReleases",
		Found: "Kustomizations and HelmReleases of Flux", FilesByName: true,
		Kinds: []string{"Kustomization", "HelmRelease"},
	},
}

// Engines returns the table of engines.
func Engines() []Engine { return slices.Clone(engines) }

// EngineOf returns the engine that has a name, if there is one.
func EngineOf(name AppKind) (Engine, bool) {
	i := slices.IndexFunc(engines, func(e Engine) bool { return e.Name == name })
	if i < 0 {
		return Engine{}, false
	}
	return engines[i], true
}
