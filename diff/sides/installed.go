package sides

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// settleInstallation leaves the stamps out of a side that has neither a configuration nor a lock, where the other one
// adopts what is there: nothing was stamped before rollstamp was installed.
func settleInstallation(roots [2]*config.Roots, old, now *rendered) {
	switch {
	case adopts(now) && isBare(roots[0], old):
		old.Unstamped = true
	case adopts(old) && isBare(roots[1], now):
		now.Unstamped = true
	}
}

// adopts reports whether a line of the lock adopts what a workload of an application consumes, as unstamped as it is.
func adopts(r *rendered) bool {
	return r.Render != nil && r.Render.Summary().Adopts
}

// isBare reports whether an application was rendered and nothing of rollstamp is in force for it.
func isBare(roots *config.Roots, r *rendered) bool {
	if r.from == nil || r.Render == nil || r.from.Settings().File.Value != "" {
		return false
	}
	at, err := roots.Locate(r.from.Settings().Place().Dir) // whose lock counts: a chart may lie elsewhere
	if err != nil {
		return false
	}
	file, err := at.Nearest(lock.FileName)
	return err == nil && file == ""
}
