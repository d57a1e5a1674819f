// Package stamp makes the Plan, the one result: what each workload consumes, its digests, and the edits that write them into the
// text that was given; and applies it.
package stamp

import (
	"io"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// Options say how to stamp. Nothing in them comes from the rendered tree but the Settings, which have been resolved.
type Options struct {
	Namespace string                  // where objects without a namespace lie; "" takes the render's, where it knows one
	Key       *hashing.Key            // in its domain; nil for plain digests
	Settings  *config.Settings        // nil for the defaults
	Context   []*render.Output        // what can be looked up
	Resolver  sources.VersionResolver // what the lock or the stores say; nil for the policy spec
	Decrypter sources.Decrypter       // decrypts what is in Git; nil where ciphertexts stand for themselves
	// Watch is shown each document once, before anything is made of it; an error of it, with its line in the text, ends the run. It keeps
	// nothing of a document. Nil watches nothing.
	Watch func(*manifest.Document) error
}

// Plan is what stamping an input comes to, with the edits that write it into the text.
type Plan struct {
	plan.Plan

	text    []byte
	edits   []splice.Edit // sorted, apart from each other
	offsets []int         // of the objects
	places  *render.Places
}

// Positions returns where each object of the input stands, in its order.
func (p *Plan) Positions() []diag.Position {
	out := make([]diag.Position, len(p.offsets))
	for i, offset := range p.offsets {
		out[i] = p.places.At(offset)
	}
	return out
}

// Changed reports whether stamping changes the text.
func (p *Plan) Changed() bool { return len(p.edits) > 0 }

// Size returns the length of the stamped text.
func (p *Plan) Size() int { return splice.Size(p.text, p.edits) }

// WriteTo writes the text with its stamps. Nothing of the plan can fail any more: an error is the writer's.
func (p *Plan) WriteTo(w io.Writer) (int64, error) { return splice.Apply(w, p.text, p.edits) }

// Part returns what became of text[start:end]. Its bounds lie between documents, so that no edit crosses them; what was inserted at end
// belongs to it, what was inserted at start to the part before.
func (p *Plan) Part(start, end int) []byte { return splice.Part(p.text, p.edits, start, end) }
