package config_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestTheVersionOfHelmIsThreeOrFour(t *testing.T) {
	for text, want := range map[string]config.HelmVersion{
		"3": config.Helm3, "v3": config.Helm3, "v3.18.4": config.Helm3, "4": config.Helm4, "v4.2": config.Helm4,
		"": 0, "v": 0, "2": 0, "v2": 0, "5": 0, "v5.4.3": 0, "foo": 0, "3.x": 0, "+3": 0, "-4": 0, "3.": 0, "34": 0, "4.1.2.3": 0,
		"v3.18.4-rc.1": 0, " 3": 0,
	} {
		if got, err := config.ParseHelmVersion(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
