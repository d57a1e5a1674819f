package objects

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// shape says what of a part of an object does not count. Paths begin at the part, and are those of canonical.Value's
// Change.
type shape struct {
	omit     []string
	defaults []canonical.Default
	sets     []string // lists whose order does not matter
}

// below returns the shape of what lies at a path of the part.
func (s shape) below(path string) (out shape) {
	for _, p := range s.omit {
		if rest, ok := canonical.Below(p, path); ok {
			out.omit = append(out.omit, rest)
		}
	}
	for _, d := range s.defaults {
		if rest, ok := d.Below(path); ok {
			out.defaults = append(out.defaults, rest)
		}
	}
	for _, p := range s.sets {
		if rest, ok := canonical.Below(p, path); ok {
			out.sets = append(out.sets, rest)
		}
	}
	return out
}

// of returns a node's value as it counts.
func (s shape) of(n manifest.Node) canonical.Value {
	v := canonical.Read(n)
	for _, path := range s.omit {
		v = v.Change(path, func(canonical.Value) canonical.Value { return canonical.Value{} })
	}
	v = v.Without(s.defaults)
	for _, path := range s.sets {
		v = v.Change(path, canonical.Value.AsSet)
	}
	return v
}

// parts are the places of an object that shape content.
type parts struct {
	field string        // of the content
	at    []string      // the place, where there is one and no paths
	paths []config.Path // several, each under its text
	shape shape         // of the place that at leads to, or else of all that paths begin at
}

// of returns what the parts of n hold; nothing where there is none.
func (p *parts) of(n manifest.Node) canonical.Value {
	if len(p.paths) > 0 {
		return p.atPaths(n)
	}
	return p.shape.of(n.At(p.at...))
}

// atPaths returns what lies at each path, by its text: of a path with several places a list.
func (p *parts) atPaths(n manifest.Node) canonical.Value {
	out := canonical.Value{Shape: canonical.Map}
	for _, path := range p.paths {
		several := false
		for _, s := range path.Steps() {
			several = several || s.Each != config.Field
		}
		all, shape := canonical.List(), p.shape.below(path.String())
		each(n, path.Steps(), func(n manifest.Node) { all.Items = append(all.Items, shape.of(n)) })
		switch {
		case several:
			out = out.With(path.String(), all)
		case len(all.Items) == 1:
			out = out.With(path.String(), all.Items[0])
		}
	}
	return out
}

// keyParts says which places of an object make a key each.
type keyParts struct {
	path  config.Path // of the places
	key   config.Path // from a place
	parts parts       // the same
}

// wholeSpec is an object's spec, less what a shape leaves out of it.
func wholeSpec(s shape) parts { return parts{field: "spec", at: []string{"spec"}, shape: s} }
