package fleet

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// FailureAt returns the first position of an error that is in a file of a system, else the first of others that is;
// the zero value where none is.
func FailureAt(system files.System, err error, others ...diag.Position) diag.Position {
	var all []diag.Position
	for known := (*diag.Error)(nil); errors.As(err, &known); err = known.Err {
		all = append(all, known.Pos)
	}
	for _, at := range append(all, others...) {
		if at.File == "" {
			continue
		}
		if info, err := files.OrDisk(system).Stat(at.File); err == nil && info.Mode().IsRegular() {
			return at
		}
	}
	return diag.Position{}
}
