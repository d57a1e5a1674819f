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

// KeepForeign is the policy that checksums of other tools are replaced. They stay where a place gets no stamp of ours,
// and where they may be of content that is not seen: an object of the place has no digest, or the annotation is named
// after a kind of which there is none.
func KeepForeign(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	stamped, unseen := make([]bool, len(places)), make([]bool, len(places))
	kinds := make([]map[string]bool, len(places))
	for _, w := range wanted {
		stamped[w.Place] = stamped[w.Place] || w.Value != ""
		unseen[w.Place] = unseen[w.Place] || w.Reason == plan.Unknown
		if w.Value != "" {
			if kinds[w.Place] == nil {
				kinds[w.Place] = map[string]bool{}
			}
			kinds[w.Place][w.Kind] = true
		}
	}
	wanted = slices.Clip(wanted) // so that what is added is not written behind the caller's list
	for i, place := range places {
		if place.Excluded {
			continue
		}
		for _, key := range place.Foreign {
			if stamped[i] && !unseen[i] && (!namesSecret(key) || kinds[i]["Secret"]) {
				continue // ours takes its place
			}
			wanted = append(wanted, plan.Wanted{Place: i, Key: key, Reason: plan.Foreign})
		}
	}
	return wanted
}

// namesSecret reports whether an annotation says that it is a hash of a Secret, as checksum/secret does.
func namesSecret(key string) bool { return strings.Contains(strings.ToLower(key), "secret") }
