package diff

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// restarting are annotations by which other tools restart workloads when a ConfigMap or Secret changes, with the kind
// that they are for; "" for both.
var restarting = [...]struct{ annotation, kind, tool string }{
	{"reloader.stakater.com/auto", "", "Reloader"},
	{"reloader.stakater.com/search", "", "Reloader"},
	{"configmap.reloader.stakater.com/auto", refs.ConfigMap, "Reloader"},
	{"configmap.reloader.stakater.com/reload", refs.ConfigMap, "Reloader"},
	{"secret.reloader.stakater.com/auto", refs.Secret, "Reloader"},
	{"secret.reloader.stakater.com/reload", refs.Secret, "Reloader"},
	{"wave.pusher.com/update-on-config-change", "", "Wave"},
	{"secrets.doppler.com/reload", refs.Secret, "the Doppler operator"},
	{"secrets.infisical.com/auto-reload", refs.Secret, "the Infisical operator"},
	{"operator.1password.io/auto-restart", refs.Secret, "the 1Password operator"},
}

// restarter returns the tool that may restart a workload when an object of a kind changes, by the annotations of the
// workload and its pods; "" for none.
func restarter(o *object, kind string, rows []*refs.Kind) string {
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
			if value != "" && !strings.EqualFold(value, "false") && cmp.Or(one.kind, kind) == kind {
				return one.tool
			}
		}
	}
	return ""
}
