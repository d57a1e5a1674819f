package check

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Leftover is what a tool wrote into manifests, or a policy that changes workloads.
type Leftover struct {
	Tool string // as findings name it
	diag.Finding
}

// Leftovers collects what other tools left in the objects of a stamped result, without what people wrote for these
// tools. Application reports both.
type Leftovers struct{ of *checker }

// NewLeftovers returns the collection of a result, before an object has been looked at.
func NewLeftovers(r *pipeline.Result, rules []config.KindRule) Leftovers {
	return Leftovers{newChecker(r, rules)}
}

// Look looks at an object of the result, as EachObject gives it.
func (l Leftovers) Look(o manifest.Object, at diag.Position) {
	if rows := l.of.kinds.Rows(o); len(rows) > 0 {
		l.of.leftovers(o, rows)
	}
	l.of.mutators(o, at)
}

// Found returns what was left, sorted.
func (l Leftovers) Found() (out []Leftover) {
	for _, f := range diag.Sort(l.of.found) {
		if tool := leftBy(f); tool != "" {
			out = append(out, Leftover{tool, f})
		}
	}
	return out
}

// leftBy returns the tool that left what a finding is about; "" where nothing was left.
func leftBy(f diag.Finding) string {
	switch kind, _, _ := strings.Cut(f.Object, " "); {
	case f.Code != diag.OtherTool:
		return ""
	case strings.HasSuffix(kind, "Policy"):
		return "Kyverno"
	case strings.HasPrefix(f.About, "STAKATER_"):
		return "Reloader"
	}
	return toolOf(f.About, written)
}

// IsLeftover reports whether an annotation is one that a tool writes, and nobody else.
func IsLeftover(annotation string) bool { return toolOf(annotation, written) != "" }
