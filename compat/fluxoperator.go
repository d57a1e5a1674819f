package compat

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/refs"
)

const checksumFrom = "fluxcd.controlplane.io/checksumFrom"

// newFluxOperator returns what the annotation of Flux Operator on a pod template means: a list of KIND/NAMESPACE/NAME,
// whose objects count with all of their keys.
func newFluxOperator(*config.Settings) (reader, []diag.Finding) {
	return func(w *Workload) *Rule {
		list := w.Template.At("metadata", "annotations").Get(checksumFrom)
		var rule Rule
		for _, item := range splitList(list.StringValue()) {
			parts := strings.Split(strings.Clone(item), "/")
			if len(parts) != 3 || parts[1] == "" || parts[2] == "" || parts[0] != refs.ConfigMap && parts[0] != refs.Secret {
				w.Report(diag.New(diag.BadCompat, w.Object.String(), checksumFrom+" has "+diag.Quote(item)+
					", which is no KIND/NAMESPACE/NAME of a ConfigMap or Secret; Flux Operator refuses it"), list.Offset())
				continue
			}
			rule.Named = append(rule.Named,
				Named{Kind: parts[0], Namespace: parts[1], Name: parts[2], Offset: list.Offset()})
		}
		return &rule
	}, nil
}
