package policy_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

func TestALockHoldsEachWayThatStampsOfBeforeStayIn(t *testing.T) {
	for _, base := range []plan.Way{plan.ByAnnotation, plan.ByVariable} {
		for _, also := range []plan.Way{0, plan.Together, plan.AllContainers, plan.Together | plan.AllContainers} {
			way := base | also
			if way.Has(plan.ByAnnotation) && way.Has(plan.AllContainers) {
				continue
			}
			held := policy.Held{Digests: []policy.Digest{{Value: "v1-0123456789abcdef"}}, Foreign: true, Way: way}
			line := "schema 3\n\npath/. Deployment//web#ConfigMap/c adopted " + strings.ReplaceAll(held.Adopted(), " ", "%20") + "\n"
			f, err := lock.Parse("rollstamp.lock", []byte(line))
			if err != nil {
				t.Errorf("%q: %v", line, err)
				continue
			}
			people := policy.NewDecisions(f.Decisions("path/."))
			if got := people.Ways("Deployment", "web"); len(got) != 1 || got[0] != way {
				t.Errorf("%q: %v, not %v", line, got, way)
			}
		}
	}
}
