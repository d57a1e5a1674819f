package compat

import (
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// The annotations of 1Password's operator.
const (
	onePasswordRestart = "operator.1password.io/auto-restart"
	onePasswordItem    = "operator.1password.io/item-path" // on the Secrets that it makes
)

// MadeByOnePassword are the kinds that 1Password's operator makes Secrets for.
var MadeByOnePassword = []string{"OnePasswordItem", "Deployment"}

// newOnePassword returns what the annotation of 1Password's operator means. The first of the object, the workload and
// its Namespace that has one decides; the operator takes a value that is no truth value for false.
func newOnePassword(*config.Settings) (reader, []diag.Finding) {
	return func(w *Workload) *Rule {
		value := strings.Clone(w.Object.Annotation(onePasswordRestart))
		if _, err := strconv.ParseBool(strings.ToLower(value)); err != nil {
			reportNoBool(w, w.Object.Node.At("metadata", "annotations"), onePasswordRestart)
		}
		return &Rule{judge: func(c *Candidate) string { return judgeOnePassword(c, value) }}
	}, nil
}

// judgeOnePassword returns why the operator does not restart a workload with an annotation for an object.
func judgeOnePassword(c *Candidate, workload string) string {
	if object := c.annotation(onePasswordRestart); object != "" {
		return onePasswordDeclines(object, "it")
	}
	if !c.comesFrom(MadeByOnePassword...) && c.annotation(onePasswordItem) == "" {
		return ""
	}
	if workload != "" {
		return onePasswordDeclines(workload, "the workload")
	}
	return onePasswordDeclines(c.Index.NamespaceAnnotation(c.Namespace, onePasswordRestart), "the Namespace")
}

// onePasswordDeclines returns why a value leaves an object out; "" where it does not, or where there is none.
func onePasswordDeclines(value, on string) string {
	if is, err := strconv.ParseBool(strings.ToLower(value)); value == "" || is && err == nil {
		return ""
	}
	return onePasswordRestart + " is " + diag.Quote(value) + " on " + on
}
