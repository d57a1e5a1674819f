package compat

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

const bankVaultsReload = "secrets-reloader.security.bank-vaults.io/reload-on-secret-change"

// newBankVaults returns what the annotation of Bank-Vaults' reloader means. It is on the pod template, and about what
// that takes from Vault by itself.
func newBankVaults(*config.Settings) (reader, []diag.Finding) {
	return func(w *Workload) *Rule {
		if !isDeclined(w.Template, bankVaultsReload) {
			return nil
		}
		reportNoTrue(w, w.Template.At("metadata", "annotations"), bankVaultsReload)
		return &Rule{judge: func(c *Candidate) string {
			if c.Kind != sources.Vault {
				return ""
			}
			return bankVaultsReload + " is not true"
		}}
	}, nil
}
