package stamp

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// strategy is one way in which what is wanted gets into the text at a place. A template's is annotations; what a
// producer of consumed objects gets is decided by a row of refreshers.
type strategy interface {
	// edits returns what makes the text at the place what is wanted there, which is sorted by key.
	edits(wanted []plan.Wanted) []splice.Edit
	// replaces reports whether what is written there takes the place of something that is no stamp, and where.
	replaces() (offset int, replaces bool)
}

// untouched is the strategy of a place that is not to be stamped.
type untouched struct{}

func (untouched) edits([]plan.Wanted) []splice.Edit { return nil }

func (untouched) replaces() (offset int, replaces bool) { return 0, false }

// refreshers are the strategies for objects whose operator fetches what stamped workloads consume, by the setting
// that chooses them.
var refreshers = map[config.RefreshWay]refresher{
	config.RefreshAnnotate: {annotates: true},
	config.RefreshPin:      {annotates: true, also: (*refreshment).pinVersions},
	config.RefreshSuffix:   {annotates: true, renames: true},
	config.RefreshOff:      {},
}

// refresher is how a stamped workload does not start with what the operator fetched before.
type refresher struct {
	// a digest in the object's annotations makes its operator fetch
	annotates bool
	renames   bool                                                   // the Secret's name carries its digest
	also      func(*refreshment, *objects.Producer, *objects.Object) // what else is written into the object
}

// refresherOf returns the row in force.
func refresherOf(s *config.Settings) refresher {
	if row, known := refreshers[s.Refresh.Value]; known {
		return row
	}
	return refreshers[config.RefreshAnnotate]
}
