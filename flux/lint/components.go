package lint

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// FailedComponent returns the error of a build as one of the Kustomization where one of its spec.components cannot be
// built, with the next step; other errors as they are.
func FailedComponent(k *objects.Kustomization, err error) error {
	var known *diag.Error
	if !errors.As(err, &known) || known.Pos.Line > 0 {
		return err // a file has the entry
	}
	for i, path := range k.Spec.Components {
		if !strings.Contains(known.Err.Error(), fmt.Sprintf("%q of components: ", path)) {
			continue
		}
		hint := "It is a folder with a Component, from spec.path on."
		if strings.HasPrefix(known.Err.Error(), "find ") {
			hint += " Correct it, or set ignoreMissingComponents."
		}
		return k.FailAt(fmt.Errorf("spec.components[%d]: %w", i, known.Err), hint, "components", i)
	}
	return err
}
