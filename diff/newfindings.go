package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

// randomParts is what is different in each render of an application.
type randomParts struct {
	renames  []pair
	unstable []Unstable
	isFormer bool // the old side is a text, and nobody knows what of it was random
}

// newFindings returns those that the new side has and the old one has not. Their places move with every line above
// them, and what is different in each render is no news.
func (n neighbours) newFindings(old, now *App, random randomParts) []diag.Finding {
	if now == nil || now.Render == nil {
		return nil
	}
	known := map[diag.Finding]bool{}
	if old != nil && old.Render != nil {
		for _, f := range n.old.Findings(n.index, old.Render.Findings()) {
			f = identity(f)
			known[f], known[random.renamed(f)] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(n.now.Findings(n.index, now.Render.Findings())), func(f diag.Finding) bool {
		return known[identity(f)] || random.isOf(f)
	})
}

// identity returns what a finding has in common on both sides: it is the same where another application fails.
func identity(f diag.Finding) diag.Finding { return fleet.WithoutDoubt(f.At(diag.Position{})) }

// renamed returns a finding of the old side with the name that its object has on the new one.
func (r randomParts) renamed(f diag.Finding) diag.Finding {
	for _, p := range r.renames {
		if from, to := p.old.Name, p.now.Name; from.isIn(f.Object) {
			f.Object = strings.TrimSuffix(f.Object, from.Name) + to.Name
			f.Message = strings.ReplaceAll(f.Message, from.Name, to.Name)
			return f
		}
	}
	return f
}

// isOf reports whether a finding is that something is different in each render, and was so before.
func (r randomParts) isOf(f diag.Finding) bool {
	switch f.Code {
	case diag.UnstableTemplate:
		return r.isFormer
	case diag.UnstableKey:
		return r.isFormer || slices.ContainsFunc(r.unstable, func(u Unstable) bool {
			return u.isIn(f.Object) && (slices.Contains(u.Paths, join("data", f.Key)) ||
				slices.Contains(u.Paths, join("binaryData", f.Key)))
		})
	}
	return false
}

// isIn reports whether an object, as findings name it, is that of a name. They know namespaces that a name does not.
func (n Name) isIn(object string) bool {
	return object == n.String() || n.Namespace == "" && strings.HasPrefix(object, n.Kind+" ") &&
		strings.HasSuffix(object, "/"+n.Name)
}
