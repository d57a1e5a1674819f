package stamp

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// unwritten is the strategy of a mere report: nothing is written, and earlier stamps go.
type unwritten struct {
	inserting
	slot *splice.Slot // nil where there are no stamps
}

func isReportOnly(t *template) bool { return t.way == config.StrategyNone }

// locateNothing finds the stamps of a pod template. A place without any need not be one where stamps can go.
func locateNothing(at location) (strategy, error) {
	if !hasStamp(at.Node.At(at.Annotations...), at.prefix) {
		return unwritten{}, nil
	}
	slot, err := splice.Locate(at.Node, at.Annotations, claimStamps(at.prefix))
	if err != nil {
		return nil, err
	}
	return unwritten{slot: slot}, nil
}

func (u unwritten) edits([]plan.Wanted) []splice.Edit {
	if u.slot == nil {
		return nil
	}
	return u.slot.Edits(nil, nil)
}
