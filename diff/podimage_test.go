package diff_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diff"
)

func TestTheImageOfAPodIsChangedInPlace(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'i:1', command: [a]}]}\n"
	c := compare(t, pod, strings.Replace(pod, "i:1", "i:2", 1))
	if len(c.Blocked) > 0 || len(c.Restarts) != 1 || c.Restarts[0].Rollout.Effect != diff.AllAtOnce {
		t.Errorf("%+v %+v", c.Blocked, c.Restarts)
	}
	c = compare(t, pod, strings.NewReplacer("i:1", "i:2", "[a]", "[b]").Replace(pod))
	if len(c.Blocked) != 1 || len(c.Restarts) != 1 || c.Restarts[0].Rollout.Effect != diff.Rejected {
		t.Errorf("%+v %+v", c.Blocked, c.Restarts)
	}
}
