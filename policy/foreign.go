package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
)

func replacesForeign(s *config.Settings) bool {
	return s.ForeignChecksums.Value == config.ForeignReplace
}

// KeepForeign is the policy that checksums of other tools are replaced: where a place gets no stamp of ours, they stay.
func KeepForeign(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	stamped := make([]bool, len(places))
	for _, w := range wanted {
		stamped[w.Place] = stamped[w.Place] || w.Value != ""
	}
	wanted = slices.Clip(wanted) // so that what is added is not written behind the caller's list
	for i, place := range places {
		if stamped[i] || place.Excluded {
			continue
		}
		for _, key := range place.Foreign {
			wanted = append(wanted, plan.Wanted{Place: i, Key: key, Reason: plan.Foreign})
		}
	}
	return wanted
}
