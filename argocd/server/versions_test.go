package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

func TestTheProtocolIsTheSameInEachVersion(t *testing.T) {
	for _, fact := range versionstest.Newer() {
		topic, _, _ := strings.Cut(fact.Text, " ")
		if slices.Contains([]string{"protocol", "variable", "folder", "plugin.yaml"}, topic) {
			t.Errorf("%s differs from what our server is tested with: %s", fact.Version, fact.Text)
		}
	}
}
