package lint

import (
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// RefuseMissing returns the errors of a render that is to be kept or published, or whose stamps are, where the values
// of an object that it takes some from are not known, or variables without a value are left in its objects; nil where
// it has neither. The findings are those of its application.
func RefuseMissing(out *render.Output, findings []diag.Finding) error {
	var errs []error
	add := func(f diag.Finding, what, hint string) {
		err := &diag.Error{Exit: diag.ExitInput, Object: f.Object, Pos: f.Position(), Err: errors.New(what), Hint: hint}
		if !slices.ContainsFunc(errs, func(have error) bool { return have.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	for _, f := range findings {
		if f.Code == diag.FluxValues {
			add(f, f.Message+", and the cluster may have other values than this render", f.Hint+" "+lookingHint)
		}
	}
	for _, f := range out.Findings {
		if f.Code == diag.MissingVariable {
			names := "${" + strings.Join(strings.Split(f.Key, ", "), "}, ${") + "}"
			add(f, "no value is known of "+names+", and the cluster would run with the text as it is", "Pass the values with "+
				"--vars FILE, or name the Kustomization that applies their ConfigMap or Secret, too. "+lookingHint)
		}
	}
	return errors.Join(errs...)
}

const lookingHint = "--missing-vars keep is for looking at a render alone."
