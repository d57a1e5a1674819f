package check

import (
	"bytes"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
)

// keyedStamps counts the stamps of an application with keyed digests.
type keyedStamps struct {
	hasKey bool // the run has one, which may be another one
	other  int  // those of which stamping would write another one
}

// compare counts the stamps of an object that are others when it is stamped again. Without a key these are all of them,
// and nothing is known of them: they are taken for the same.
func (k *keyedStamps) compare(before, now stamps) {
	for at, digest := range before {
		again := at
		if _, stays := now[at]; !stays && !k.hasKey {
			again = now.alike(at)
		}
		if other, stays := now[again]; !hashing.IsKeyed(digest) || !stays || other == digest {
			continue
		}
		k.other++
		if !k.hasKey {
			now[again] = digest
		}
	}
}

// alike returns the name of a stamp that is one but for the hash of a generator; "" where there is none.
func (s stamps) alike(at string) string {
	for _, other := range slices.Sorted(maps.Keys(s)) {
		if isAlike(at, other) {
			return other
		}
	}
	return ""
}

// findings returns what is not known of the keyed stamps.
func (k *keyedStamps) findings(r *pipeline.Result) []diag.Finding {
	message := ""
	switch {
	case k.other == 0:
		return nil
	case !k.hasKey && k.other == 1:
		message = "1 stamp has a keyed digest, and this run has no hash key: it cannot be checked"
	case !k.hasKey:
		message = diag.Count(k.other, "stamp") + " have keyed digests, and this run has no hash key: they cannot be checked"
	case k.other > 1 && k.other == bytes.Count(r.Output.Text, []byte(hashing.KeyedPrefix)):
		message = "none of the " + diag.Count(k.other, "keyed stamp") +
			" is of this hash key and its domain: were they made with others?"
	default:
		return nil // another one is right, and so is the key
	}
	f := diag.New(diag.StampUnchecked, "", message)
	f.Severity = diag.Info
	return []diag.Finding{f}
}
