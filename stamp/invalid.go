package stamp

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// invalidHint returns the next step where Kubernetes would refuse the content of an object of the input.
func (in *Input) invalidHint() string {
	hint := "Kubernetes would refuse the object: quote the value, or mend its base64. "
	if in.out.ByFlux {
		hint += "Variables of postBuild come after the quotes of a source are gone, so one whose text reads like a number " +
			`needs quotes in its value, as '"8080"'. `
	}
	return hint + "Where another tool fills it in later, stamp after that, or set rollstamp.dev/ignore: \"true\" on the object."
}

func refusedHint(object *objects.Object) string {
	return "Its operator would refuse it, and " + object.String() + " would stay as it is: correct the manifest, " +
		"or set rollstamp.dev/ignore: \"true\" on it."
}

// invalidError returns an error about what keeps an object that a workload consumes from being accepted. The position
// of one in the context is in another text, and left out.
func (in *Input) invalidError(w *workload, object string, inContext bool, v objects.Invalid, hint string) error {
	e := &diag.Error{Exit: diag.ExitInput, Object: object,
		Err: fmt.Errorf("%s, and %s consumes it", v.Problem, w), Hint: hint}
	if inContext {
		e.Err = fmt.Errorf("in the context: %w", e.Err)
	} else {
		e.Pos = in.positions.At(v.Offset)
	}
	return e
}
