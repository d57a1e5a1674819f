package lint

import (
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// RefuseMissing returns the errors of a render that is to be kept or published and has variables without a value left
// in its objects, one for each object; nil where it has none.
func RefuseMissing(out *render.Output) error {
	var errs []error
	for _, f := range out.Findings {
		if f.Code != diag.MissingVariable {
			continue
		}
		names := "${" + strings.Join(strings.Split(f.Key, ", "), "}, ${") + "}"
		err := &diag.Error{Exit: diag.ExitInput, Object: f.Object, Pos: f.Position(),
			Err: errors.New("no value is known of " + names + ", and the cluster would run with the text as it is"),
			Hint: "Pass the values with --vars FILE, or name the Kustomization that applies their ConfigMap or Secret, too. " +
				"--missing-vars keep is for looking at a render alone."}
		if !slices.ContainsFunc(errs, func(have error) bool { return have.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
