package compat

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/refs"
)

// The annotations of Wave, on a workload.
const (
	waveOn         = "wave.pusher.com/update-on-config-change"
	waveConfigMaps = "wave.pusher.com/extra-configmaps"
	waveSecrets    = "wave.pusher.com/extra-secrets"
)

// newWave returns what Wave's annotations mean: what they name counts, too, by name or by NAMESPACE/NAME. A workload
// that says another thing than "true" is one that Wave does not look at.
func newWave(*config.Settings) (reader, []diag.Finding) {
	return func(w *Workload) *Rule {
		at := w.Object.Node.At("metadata", "annotations")
		switch {
		case isDeclined(w.Object.Node, waveOn):
			reportNoTrue(w, at, waveOn)
			return &Rule{judge: func(*Candidate) string { return waveOn + " is not true" }}
		case !at.Get(waveOn).Valid():
			return nil
		}
		var rule Rule
		for _, list := range [...]struct{ key, kind string }{
			{waveConfigMaps, refs.ConfigMap}, {waveSecrets, refs.Secret},
		} {
			n := at.Get(list.key)
			for _, item := range splitList(n.StringValue()) {
				named := Named{Kind: list.kind, Name: strings.Clone(item), Offset: n.Offset()}
				if namespace, name, both := strings.Cut(item, "/"); both {
					named.Namespace, named.Name = strings.Clone(namespace), strings.Clone(name)
				}
				rule.Named = append(rule.Named, named)
			}
		}
		return &rule
	}, nil
}
