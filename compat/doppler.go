package compat

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// newDoppler returns what the annotation of Doppler's operator means, by
// controllers/dopplersecret_controller_deployments.go of DopplerHQ/kubernetes-operator.
func newDoppler(*config.Settings) (reader, []diag.Finding) {
	return optIn("secrets.doppler.com/reload", "DopplerSecret"), nil
}
