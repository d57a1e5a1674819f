package pipeline

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// decisionsOf returns what people decided about an application's workloads, as the lock holds it that is in force: nil
// where there is none.
func decisionsOf(a *app.Application) (*policy.Decisions, error) {
	all, err := lockDecisions(a)
	return policy.NewDecisions(all), err
}

// Applications returns how the lines of a lock may name an application: by the name that an inventory has for it, else,
// or as well, by its path from the lock.
func Applications(a *app.Application, lockFile string) (names []lock.Application) {
	switch origin := a.Origin(); {
	case origin.Pos != (diag.Position{}):
		names = append(names, lock.Named(a.Name()))
	case origin.Name != "":
		names = append(names, lock.Named(origin.Name))
	}
	path, err := filepath.Rel(filepath.Dir(lockFile), a.Settings().Place().Dir)
	if err == nil {
		names = append(names, lock.At(filepath.ToSlash(path)))
	}
	return names
}
