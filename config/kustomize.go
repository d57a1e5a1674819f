package config

// KustomizeEngine is what builds kustomizations.
type KustomizeEngine string

// The ways; KustomizeNative is the default.
const (
	KustomizeNative  KustomizeEngine = "native"  // by ourselves what is understood, and the rest as KustomizeLibrary
	KustomizeLibrary KustomizeEngine = "library" // by kustomize's library
	KustomizeBoth    KustomizeEngine = "both"    // in both ways, and a difference is an error
)

// Choices lists the values.
func (KustomizeEngine) Choices() []string {
	return []string{string(KustomizeNative), string(KustomizeLibrary), string(KustomizeBoth)}
}

// UnmarshalText takes one of Choices.
func (e *KustomizeEngine) UnmarshalText(b []byte) error { return choose(e, string(b)) }

// kustomizeRows are the settings about kustomize itself.
var kustomizeRows = []Row{
	{Name: "kustomize", In: InFile, About: "What builds kustomizations."},
	{
		Name: "kustomize.engine", In: InFile,
		Env:  []Var{{Name: EnvKustomizeEngine, Meaning: "What builds kustomizations, as --kustomize-engine."}},
		Flag: "kustomize-engine", On: Fetching, Group: GroupRender,
		Usage:   "what builds kustomizations: native, kustomize's library, or both to compare them",
		Example: "both",
		About: "What builds kustomizations: native builds those that it understands by itself, in a time that grows with " +
			"the number of objects and not with its square, and leaves the others, and all that fail, to kustomize's " +
			"library. library leaves it all of them. The bytes are the same. both builds each in both ways, and fails " +
			"where they differ.",
		field: text(func(s *Settings) *Setting[KustomizeEngine] { return &s.Kustomize }, KustomizeNative),
	},
}
