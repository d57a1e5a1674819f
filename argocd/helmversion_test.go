package argocd

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestTheOperatorsVersionOfHelmCountsBeforeThatOfTheApplication(t *testing.T) {
	for _, c := range []struct {
		operator config.HelmVersion
		native   bool
		field    string
		want     config.HelmVersion
	}{
		{0, false, "", 0}, {0, false, "v4", config.Helm4}, {0, false, "3", config.Helm3}, {0, false, "v2", 0},
		{config.Helm4, false, "v3", config.Helm4}, {config.Helm3, false, "", config.Helm3},
		{0, true, "v4", 0}, {config.Helm4, true, "v3", config.Helm4},
	} {
		b := Build{HelmVersion: c.operator, Native: c.native}
		if got := b.helmVersion(&Helm{Version: c.field}); got != c.want {
			t.Errorf("%+v: it is %d", c, got)
		}
	}
}
