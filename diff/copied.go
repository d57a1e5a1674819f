package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/plan"
)

// viaOf returns what produces the object that a reference is to, such as a policy that copies, or what is copied into
// it without one, as reports have it; "" where nothing is.
func viaOf(r *plan.Reference) string {
	kind, _, isMade := strings.Cut(r.Source, "/")
	if from := copiedInto(r); from != nil && (!isMade || kind == from.Kind) {
		return Name{Kind: from.Kind, Namespace: from.Namespace, Name: from.Name}.String()
	}
	if isMade {
		return strings.Replace(r.Source, "/", " ", 1)
	}
	return ""
}

// copiedInto returns the object that a tool copies for a reference, into an object that is there or one of its own; nil
// for none.
func copiedInto(r *plan.Reference) *plan.Producer {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.Producers, func(p plan.Producer) bool { return p.Copied })
	if i < 0 {
		return nil
	}
	return &r.Producers[i]
}

// addOutside adds to a cause what has changed where the object itself does not show it: in the context, of one that no
// side renders or that is a copy of what lies there, and in what a tool copies into it.
func (c *causes) addOutside(out *Cause, before, now *plan.Reference, isContext bool) {
	from := copiedInto(now)
	if isContext || from != nil && from.Context {
		out.Keys = withContext(out.Keys, before, now)
	}
	if len(out.Keys) == 0 {
		c.addCopied(out, before, now)
	}
}

// addCopied adds to a cause what has changed of the object that is copied into what a reference is to, with where that
// lies.
func (c *causes) addCopied(out *Cause, before, now *plan.Reference) {
	was, is := copiedInto(before), copiedInto(now)
	if was == nil || is == nil {
		return
	}
	old, current := c.old.find(was.Kind, was.Namespace, was.Name), c.now.find(is.Kind, is.Namespace, is.Name)
	if out.Keys = c.inScope(before, now, old, current); len(out.Keys) > 0 {
		out.File, out.Line = current.File, current.Line
	}
}
