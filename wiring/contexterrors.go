package wiring

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// contextError adds to errors where an application's configuration names what they are about.
func contextError(a *app.Application, i int, err error) error {
	pos, _ := a.Settings().Where(fmt.Sprintf("context[%d]", i))
	return diag.MapErrors(err, func(one error) error {
		var known *diag.Error
		if !errors.As(one, &known) {
			return diag.Input(pos, fmt.Errorf("context: %w", one), "")
		}
		hint := diag.HintOf(one)
		if meant := missingHint(a, i, pos); meant != "" {
			hint = meant
		}
		return &diag.Error{Exit: known.Exit, Pos: pos, Err: fmt.Errorf("context: %w", one), Hint: hint}
	})
}

// missingHint returns the next step where a path of the context leads to nothing; "" where it leads to something. What
// is there as seen from the working folder, or from the top of the repository, is what may be meant.
func missingHint(a *app.Application, i int, pos diag.Position) string {
	path := string(a.Settings().Context.Value[i])
	system := files.OrDisk(a.Request().Files)
	isThere := func(path string) bool {
		_, err := system.Stat(path)
		return err == nil
	}
	folder, err := filepath.Abs(filepath.Dir(pos.File))
	if err != nil || fleet.IsPattern(path) || isThere(path) {
		return ""
	}
	hint := "Paths of context: begin in the folder of " + config.FileName
	written, err := filepath.Rel(folder, path)
	if err != nil {
		return hint + "."
	}
	here, _ := filepath.Abs(".") // where that is not known, it is not looked there
	for _, from := range []string{here, a.Settings().Place().Root} {
		meant := filepath.Join(from, written)
		if rel, err := filepath.Rel(folder, meant); err == nil && from != "" && isThere(meant) {
			return hint + "; for " + files.FromHere(meant) + " write " + filepath.ToSlash(rel) + "."
		}
	}
	return hint + "."
}
