package config

import "fmt"

// Suffix is what becomes of earlier contents under the strategy suffix.
type Suffix struct {
	Keep  Setting[Keep]
	Prune Setting[Prune]
}

// Keep is how many earlier contents of an object are printed beside the one in force.
type Keep int

// The least and the most of Keep, and what is in force where nobody says anything.
const (
	defaultKeep Keep = 1
	maxKeep     Keep = 100
)

func (k *Keep) check() error {
	if *k < 0 || *k > maxKeep {
		return fmt.Errorf("%d is not between 0 and %d", *k, maxKeep)
	}
	return nil
}

// Prune is when an engine may delete an object whose name is no longer rendered.
type Prune string

// The moments; PruneEngine is the default.
const (
	PruneEngine Prune = "engine" // as the engine does by itself
	PruneLast   Prune = "last"   // after all else is applied and healthy
	PruneNever  Prune = "never"
)

// Choices lists the values.
func (Prune) Choices() []string {
	return []string{string(PruneEngine), string(PruneLast), string(PruneNever)}
}

// UnmarshalText takes one of Choices.
func (p *Prune) UnmarshalText(b []byte) error { return choose(p, string(b)) }

// suffixRows are the settings about what outlives a change of a name.
var suffixRows = []Row{
	{Name: "suffix", In: InFile, About: "What becomes of earlier contents under strategy: suffix."},
	{
		Name: "suffix.keep", In: InFile,
		Example: "2",
		About: "How many earlier contents of a ConfigMap or Secret are printed beside the new one, so that pods of before " +
			"still find theirs. They come from the render that is committed: with --output-dir, the file as the last " +
			"commit has it, or as it lies there. Where there is none, render takes them from the history of the repository.",
		field: valueOr(func(s *Settings) *Setting[Keep] { return &s.Suffix.Keep }, defaultKeep),
	},
	{
		Name: "suffix.prune", In: InFile,
		Example: "last",
		About: "When an object may be deleted whose name is no longer rendered: engine leaves that to the engine; last " +
			"writes PruneLast=true for Argo CD onto it; never writes Prune=false for Argo CD and prune: disabled for Flux.",
		field: valueOr(func(s *Settings) *Setting[Prune] { return &s.Suffix.Prune }, PruneEngine),
	},
}
