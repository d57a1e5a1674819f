package compat

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// newInfisical returns what the annotation of Infisical's operator means, by internal/controllerhelpers
// of Infisical/kubernetes-operator.
func newInfisical(*config.Settings) (reader, []diag.Finding) {
	return optIn("secrets.infisical.com/auto-reload",
		"InfisicalSecret", "InfisicalDynamicSecret", "InfisicalStaticSecret"), nil
}
