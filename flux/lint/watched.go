package lint

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// watchLabel is the label of ConfigMaps and Secrets whose changes Flux's controllers act upon at once.
const watchLabel = "reconcile.fluxcd.io/watch"

// Unwatched reports a ConfigMap or Secret that an object takes values from, where its labels do not have Flux act upon
// a change at once. What is written as findings write objects.
func Unwatched(by objects.Meta, what string, labels map[string]string) (diag.Finding, bool) {
	if labels[watchLabel] == "Enabled" {
		return diag.Finding{}, false
	}
	return diag.New(diag.FluxUnwatched, by.String(),
		fmt.Sprintf("it takes values from %s, whose changes count only at its next interval", what)).
		WithAbout(what).At(by.Pos), true
}
