package compat

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// optIn returns a reader of the annotation by which a tool restarts a workload: exactly "true". Where it is there with
// another value, what an object of one of the kinds produces is left out; without it nothing is.
func optIn(key string, producers ...string) reader {
	return func(w *Workload) *Rule {
		if !isDeclined(w.Object.Node, key) {
			return nil
		}
		reportNoTrue(w, w.Object.Node.At("metadata", "annotations"), key)
		return &Rule{judge: func(c *Candidate) string {
			if !c.comesFrom(producers...) {
				return ""
			}
			return key + " is not true"
		}}
	}
}

// isDeclined reports whether an object, or a pod template, has an annotation with another value than "true".
func isDeclined(n manifest.Node, key string) bool {
	value := n.At("metadata", "annotations").Get(key)
	return value.Valid() && value.StringValue() != "true"
}

// reportNoTrue reports an annotation whose tool knows no value but "true", and whose value is not "false" either.
func reportNoTrue(w *Workload, at manifest.Node, key string) {
	if value := at.Get(key); value.StringValue() != "false" {
		w.Report(diag.New(diag.BadCompat, w.Object.String(), key+" is "+diag.Quote(value.StringValue())+
			", which is not true, and counts as false"), value.Offset())
	}
}
