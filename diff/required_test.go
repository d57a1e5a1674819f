package diff_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/diff"
)

func TestPodsWithoutTheirAccountOrClaimDoNotComeUp(t *testing.T) {
	const account = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a%s}\n"
	const claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p%s}\n"
	of := func(text, more string) string { return fmt.Sprintf(text, more) }
	needs := deployment("", "", ", serviceAccountName: a, volumes: [{name: v, persistentVolumeClaim: {claimName: p}}]")
	old := deployment("", "", ", serviceAccount: a")
	plain := deployment("", "", ", volumes: [{name: v, emptyDir: {}}]")
	for what, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"both gone":         {needs + of(account, "") + of(claim, ""), needs, []string{"PersistentVolumeClaim p", "ServiceAccount a"}},
		"the old field":     {old + of(account, ""), old, []string{"ServiceAccount a"}},
		"a claim":           {needs + of(account, "") + of(claim, ""), needs + of(account, ""), []string{"PersistentVolumeClaim p"}},
		"never there":       {needs, needs + of(account, ""), nil},
		"not needed":        {plain + of(account, "") + of(claim, ""), plain, nil},
		"needed no more":    {needs + of(account, "") + of(claim, ""), plain, nil},
		"another name":      {needs + of(account, "x"), needs, nil},
		"another namespace": {needs + of(account, ", namespace: z"), needs, nil},
		"it stays":          {needs + of(claim, ", annotations: {helm.sh/resource-policy: keep}"), needs, nil},
		"it is not pruned":  {needs + of(claim, ", annotations: {argocd.argoproj.io/sync-options: 'A=b,Prune=false'}"), needs, nil},
	} {
		t.Run(what, func(t *testing.T) {
			var got []string
			for _, b := range compare(t, c.from, c.to).Blocked {
				if b.Reason == diff.Gone {
					got = append(got, b.Object)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
