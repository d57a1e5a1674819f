package check

import (
	"context"
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

// Leftovers returns what other tools left in a stamped result, without what people wrote for these tools. Application
// reports both.
func Leftovers(ctx context.Context, r *pipeline.Result, rules []config.KindRule) (out []Leftover, _ error) {
	c := newChecker(r, rules)
	err := r.EachObject(ctx, func(o manifest.Object, at diag.Position) {
		if rows := c.kinds.Rows(o); len(rows) > 0 {
			c.leftovers(o, rows, at)
		}
		c.mutators(o, at)
	})
	if err != nil {
		return nil, err
	}
	for _, f := range diag.Sort(c.found) {
		if tool := leftBy(f); tool != "" {
			out = append(out, Leftover{tool, f})
		}
	}
	return out, nil
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
