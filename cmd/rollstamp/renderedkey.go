package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
)

// mayLoseKey reports whether an application is stamped without a hash key, and its file has stamps that were made with
// one.
func mayLoseKey(a *app.Application) bool {
	if a.Stamping() == nil || a.Stamping().Key != nil {
		return false
	}
	text, err := os.ReadFile(a.File())
	return err == nil && bytes.Contains(text, []byte(hashing.KeyedPrefix))
}

// refuseUnkeyed returns an error where digests without a hash key would take the place of those in the file of an
// application that have one: what reads them would restart, and short values could be guessed from what is written.
func refuseUnkeyed(a *app.Application, result *pipeline.Result) error {
	isUnkeyed := func(r plan.Reference) bool { return r.Unkeyed }
	if !mayLoseKey(a) || !slices.ContainsFunc(result.Plan.Workloads, func(w plan.Workload) bool {
		return slices.ContainsFunc(w.References, isUnkeyed)
	}) {
		return nil
	}
	file := a.File()
	return diag.Input(diag.Position{File: file},
		errors.New("its stamps of Secrets have keyed digests, and this run has no hash key: what reads them would restart"),
		fmt.Sprintf("Pass the key that they were made with: --hash-key-file, and --hash-domain where there is one. To go on "+
			"without one, take the stamps out first: rollstamp unstamp --in-place %s", file))
}
