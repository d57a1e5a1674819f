package policy

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
)

func replacesForeign(s *config.Settings) bool {
	return s.ForeignChecksums.Value == config.ForeignReplace
}

// KeepForeign is the policy that checksums of other tools are replaced. They stay where a place gets no stamp of ours
// and reads nothing whose name carries a digest, and where they may be of content that is not seen: an object of the
// place has no digest, or the annotation is named after a kind of which there is none.
func KeepForeign(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	unseen, kinds := make([]bool, len(places)), make([]map[string]bool, len(places))
	replaced := func(place int, kind string) {
		if kinds[place] == nil {
			kinds[place] = map[string]bool{}
		}
		kinds[place][kind] = true
	}
	for i := range places {
		for _, kind := range places[i].Renamed {
			replaced(i, kind)
		}
	}
	for _, w := range wanted {
		unseen[w.Place] = unseen[w.Place] || w.Reason == plan.Unknown
		if w.Value != "" {
			replaced(w.Place, w.Kind)
		}
	}
	wanted = slices.Clip(wanted) // so that what is added is not written behind the caller's list
	for i, place := range places {
		if place.Excluded {
			continue
		}
		for _, key := range place.Foreign {
			if kinds[i] != nil && !unseen[i] && (!namesSecret(key) || kinds[i]["Secret"]) {
				continue // ours takes its place
			}
			wanted = append(wanted, plan.Wanted{Place: i, Key: key, Reason: plan.Foreign})
		}
	}
	return wanted
}

// namesSecret reports whether an annotation says that it is a hash of a Secret, as checksum/secret does.
func namesSecret(key string) bool { return strings.Contains(strings.ToLower(key), "secret") }
