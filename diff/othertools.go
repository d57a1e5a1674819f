package diff

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/refs"
)

// restarting are annotations by which other tools restart workloads when a ConfigMap or Secret changes, with the kind
// that they are for; "" for both.
var restarting = [...]struct{ annotation, kind, tool string }{
	{"reloader.stakater.com/auto", "", reloader},
	{"reloader.stakater.com/search", "", reloader},
	{"configmap.reloader.stakater.com/auto", refs.ConfigMap, reloader},
	{"configmap.reloader.stakater.com/reload", refs.ConfigMap, reloader},
	{"secret.reloader.stakater.com/auto", refs.Secret, reloader},
	{"secret.reloader.stakater.com/reload", refs.Secret, reloader},
	{"wave.pusher.com/update-on-config-change", "", wave},
	{"secrets.doppler.com/reload", refs.Secret, doppler},
	{"secrets.infisical.com/auto-reload", refs.Secret, infisical},
	{"operator.1password.io/auto-restart", refs.Secret, onePassword},
}

// The tools, as reports name them.
const (
	reloader    = "Reloader"
	wave        = "Wave"
	doppler     = "the Doppler operator"
	infisical   = "the Infisical operator"
	onePassword = "the 1Password operator"
)

// isInForce reports whether the annotations of a tool are in force.
func isInForce(tool string, c *config.Compat) bool {
	switch tool {
	case reloader:
		return c.Reloader.Value != "" && c.Reloader.Value != config.ReloaderOff
	case wave:
		return c.Wave.Value == config.CompatHonour
	case doppler:
		return c.Doppler.Value == config.CompatHonour
	case infisical:
		return c.Infisical.Value == config.CompatHonour
	case onePassword:
		return c.OnePassword.Value == config.CompatHonour
	}
	return false
}

// restarter returns the tool that may restart a workload when an object of a kind changes, by the annotations of the
// workload and its pods; "" for none. One whose annotations are in force leaves out what is left out here.
func restarter(o *object, kind string, rows []*refs.Kind, c *config.Compat) string {
	table, err := o.table()
	if err != nil {
		return ""
	}
	all := []map[string]any{at(table, "metadata", "annotations")}
	for _, row := range rows {
		all = append(all, at(at(table, row.Template...), "metadata", "annotations"))
	}
	for _, notes := range all {
		for _, one := range restarting {
			value, _ := notes[one.annotation].(string)
			isFor := value != "" && !strings.EqualFold(value, "false") && cmp.Or(one.kind, kind) == kind
			if isFor && !isInForce(one.tool, c) {
				return one.tool
			}
		}
	}
	return ""
}
