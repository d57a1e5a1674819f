package compat

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

const flaggerTracking = "flagger.app/config-tracking"

// newFlagger returns what Flagger's annotation on a ConfigMap or Secret means: each value that begins with "disable"
// leaves the object out.
func newFlagger(*config.Settings) (reader, []diag.Finding) {
	rule := &Rule{judge: func(c *Candidate) string {
		if value := c.annotation(flaggerTracking); strings.HasPrefix(value, "disable") {
			return flaggerTracking + " is " + diag.Quote(value) + " on it"
		}
		return ""
	}}
	return func(*Workload) *Rule { return rule }, nil
}
