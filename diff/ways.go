package diff

import (
	"slices"
	"strings"
)

// otherWay is why a workload restarts for which nothing is another but where a digest is written.
const otherWay = "its digest is written in another way"

// joinWays makes one cause of two that say of an object that it is stamped for the first time, and no longer counted:
// its stamp went from an annotation to a variable, or back. Of what is compared as it is, nobody knows the settings by
// which it did.
func joinWays(all []Cause) []Cause {
	for i := range all {
		gone := &all[i]
		if gone.Reason != Uncounted {
			continue
		}
		k := slices.IndexFunc(all, func(c Cause) bool { return c.Reason == First && c.Object == gone.Object })
		if k < 0 {
			continue
		}
		came := &all[k]
		if isOtherDigest(came.To, gone.From) {
			came.Reason, came.Change = Config, Modification
		} else {
			came.Path, came.From, came.To, came.Why = "", "", "", otherWay
		}
		gone.Reason = ""
	}
	return slices.DeleteFunc(all, func(c Cause) bool { return c.Reason == "" })
}

// isOtherDigest reports whether two stamps are known to hold different digests. That of a variable is shown with the
// variable, and one that is hidden compares with nothing.
func isOtherDigest(a, b string) bool {
	isShown := func(s string) bool { return s != "" && s != isSecret && s != isNewSecret }
	return isShown(a) && isShown(b) && !strings.Contains(a, b) && !strings.Contains(b, a)
}
