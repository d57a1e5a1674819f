package stamp

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/splice"
)

// combined is the strategy of one digest for all that a pod template consumes: that of the single ones.
type combined struct {
	annotations
	prefix hashing.Prefix
	key    *hashing.Key // nil for plain digests
}

func isCombined(t *template) bool { return t.combined }

// locateCombined finds the annotations of a pod template.
func locateCombined(at location) (strategy, error) {
	slot, err := splice.Locate(at.Node, at.Annotations, at.claim)
	if err != nil {
		return nil, err
	}
	return combined{annotations{slot}, at.prefix, at.key}, nil
}

func (c combined) edits(wanted []plan.Wanted) []splice.Edit {
	return c.annotations.edits(combine(wanted, c.prefix, c.key))
}

// combine returns what is wanted at a place with one stamp instead of those of single objects. What is no digest of an
// object stays. A digest that people hold counts as they hold it. Where none is known, an earlier stamp stays if one
// of the objects is still referred to.
func combine(wanted []plan.Wanted, prefix hashing.Prefix, key *hashing.Key) []plan.Wanted {
	all := plan.Wanted{Key: prefix.Combined(), Reason: plan.Unknown}
	var out []plan.Wanted
	var digests []hashing.Pair
	singles, isKeyed := 0, false
	for _, w := range wanted {
		switch w.Reason {
		case plan.Digest, plan.Unknown, plan.Waiting, plan.Adopted:
		default:
			out = append(out, w)
			continue
		}
		singles++
		if w.Value != "" {
			name := prefix.Name(w.Key)
			digests = append(digests, hashing.Pair{Key: name, Value: redact.New([]byte(w.Value))})
			isKeyed = isKeyed || hashing.IsKeyed(w.Value)
		}
	}
	if singles == 0 {
		return out
	}
	if len(digests) > 0 {
		if !isKeyed {
			key = nil
		}
		all.Value, all.Reason = hashing.Value("", "all", digests, key), plan.Digest
	}
	out = append(out, all)
	slices.SortFunc(out, func(a, b plan.Wanted) int { return strings.Compare(a.Key, b.Key) })
	return out
}
