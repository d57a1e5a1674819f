package fleet

import (
	"bytes"
	"context"
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

// MayReplaceKeyed reports whether a file has stamps with keyed digests, and an application is stamped without what may
// have made them: without the hash key, or without the keys for what is encrypted.
func MayReplaceKeyed(a *app.Application, file string) bool {
	_, may := readKeyed(a, file)
	return may
}

// readKeyed returns what a file holds of which MayReplaceKeyed reports so.
func readKeyed(a *app.Application, file string) (have []byte, may bool) {
	how, settings := a.Stamping(), a.Settings()
	if file == "" || how == nil || how.Key != nil && settings.CountsCiphertext() && settings.CountsSealed() {
		return nil, false
	}
	have, err := os.ReadFile(file)
	return have, err == nil && bytes.Contains(have, []byte(hashing.KeyedPrefix))
}

// RefuseUncompared returns an error where a result is to take the place of a file, and its stamps would take that of
// keyed ones which this run cannot compare: what reads them would restart, and without a hash key short values could
// be guessed from what is written.
func RefuseUncompared(ctx context.Context, a *app.Application, file string, result *pipeline.Result) error {
	have, may := readKeyed(a, file)
	if !may {
		return nil
	}
	if a.Stamping().Key != nil || !consumes(result, func(r *plan.Reference) bool { return r.Unkeyed }) {
		return refuseCiphertext(ctx, a, file, have, result)
	}
	return diag.Input(diag.Position{File: file},
		errors.New("its stamps of Secrets have keyed digests, and this run has no hash key: what reads them would restart"),
		fmt.Sprintf("Pass the key that they were made with: --hash-key-file, and --hash-domain where there is one. To go "+
			"on without one, take the stamps out first: rollstamp unstamp --in-place %s", file))
}

// consumes reports whether a workload of a result has a reference of that sort.
func consumes(result *pipeline.Result, is func(*plan.Reference) bool) bool {
	return slices.ContainsFunc(result.Plan.Workloads, func(w plan.Workload) bool {
		return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return is(&r) })
	})
}

// refuseCiphertext returns an error where keyed stamps in a file are not those of the ciphertext that it has, and
// so may be of values which this run does not decrypt, or where it has no key to compare them with. A file all of whose
// stamps are of ciphertext may be replaced, whatever that is by now.
func refuseCiphertext(
	ctx context.Context, a *app.Application, file string, have []byte, result *pipeline.Result,
) error {
	if !consumes(result, func(r *plan.Reference) bool { return r.Ciphertext }) {
		return nil
	}
	stream := streamOf(file, have)
	stream.Namespace, stream.IsRelease = result.Output.Namespace, result.Output.IsRelease
	written, err := pipeline.Run(ctx, a.WithStream(stream).WithStamping(a.Stamping().InPlace()))
	if err != nil {
		return nil // what nobody can read, nobody applies
	}
	var first *diag.Finding
	n := 0
	for i := range written.Plan.Findings {
		if f := &written.Plan.Findings[i]; f.Code == diag.StampUnchecked {
			if n++; first == nil {
				first = f
			}
		}
	}
	if first == nil {
		return nil
	}
	err = errors.New(first.Message)
	if n > 1 {
		err = fmt.Errorf("%w; so do %d more of this file", err, n-1)
	}
	pos := first.Position()
	pos.File = file
	return &diag.Error{Exit: diag.ExitInput, Object: first.Object, Pos: pos, Err: err, Hint: first.Hint}
}
