package pipeline

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// decisionsOf returns what people decided about an application's workloads, as the lock holds it that is in force: nil
// where there is none.
func decisionsOf(a *app.Application) (*policy.Decisions, error) {
	all, err := lockDecisions(a)
	return policy.NewDecisions(all), err
}

// Applications returns how the lines of a lock may name an application: its own name first, and others under which
// lines hold for it, too.
func Applications(a *app.Application, lockFile string, f *lock.File) []lock.Application {
	return a.Identity().NamesIn(filepath.Dir(lockFile), f)
}
