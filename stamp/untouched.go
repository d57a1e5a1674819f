package stamp

import (
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// untouched is the strategy of a place that is not to be stamped.
type untouched struct{}

func (untouched) edits([]plan.Wanted) []splice.Edit { return nil }

func (untouched) replaces() (offset int, replaces bool) { return 0, false }
