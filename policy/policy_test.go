package policy_test

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

func settings(foreign config.Foreign) *config.Settings {
	s := config.New()
	s.ForeignChecksums.Value = foreign
	return s
}

func TestPoliciesChangeWhatIsWanted(t *testing.T) {
	t.Parallel()
	places := []plan.Place{
		{Workload: 0, Foreign: []string{"checksum/config"}},
		{Workload: 1, Excluded: true, Foreign: []string{"checksum/config"}},
		{Workload: 2, Foreign: []string{"checksum/a", "checksum/b"}},
		{Workload: -1},
		{Workload: 3, Foreign: []string{"checksum/c", "checksum/secret"}, Renamed: []string{"ConfigMap"}},
	}
	digest := func(place int) plan.Wanted {
		return plan.Wanted{Place: place, Key: "checksum.rollstamp.dev/x", Value: "v1-0", Reason: plan.Digest}
	}
	earlier := plan.Wanted{Place: 2, Key: "checksum.rollstamp.dev/y", Reason: plan.Unknown}
	stays := func(key string) plan.Wanted { return plan.Wanted{Place: 2, Key: key, Reason: plan.Foreign} }
	wanted := []plan.Wanted{digest(0), digest(1), earlier, digest(3)}
	if got := policy.Exclude(places, wanted[2:]); &got[0] != &wanted[2] {
		t.Errorf("a list without what is excluded was copied: %+v", got)
	}
	for _, c := range []struct {
		name     string
		settings *config.Settings
		want     []plan.Wanted
	}{
		{"none set", nil, []plan.Wanted{digest(0), earlier, digest(3)}},
		{"foreign checksums stay", settings(config.ForeignKeep), []plan.Wanted{digest(0), earlier, digest(3)}},
		{"foreign checksums go", settings(config.ForeignDrop), []plan.Wanted{digest(0), earlier, digest(3)}},
		{"foreign checksums are replaced", settings(config.ForeignReplace),
			[]plan.Wanted{digest(0), earlier, digest(3), stays("checksum/a"), stays("checksum/b"),
				{Place: 4, Key: "checksum/secret", Reason: plan.Foreign}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := slices.Grow(slices.Clone(wanted), 4)
			got := policy.Apply(places, list, policy.Of(c.settings))
			if !slices.Equal(got, c.want) {
				t.Errorf("wanted are\n%+v\nand should be\n%+v", got, c.want)
			}
			if after := append(slices.Clone(wanted), make([]plan.Wanted, 4)...); !slices.Equal(list[:len(list)+4], after) {
				t.Errorf("the list that the policies got is\n%+v", list[:len(list)+4])
			}
		})
	}
}
