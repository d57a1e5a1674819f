package workspace_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/workspace"
)

func TestAMissingChartNamesTheCommandThatFetchesIt(t *testing.T) {
	for want, c := range map[string]workspace.Chart{
		"helm pull box --repo https://charts.example.com --version 1.2.3.": {
			Repository: "https://charts.example.com", Name: "box", Version: "1.2.3"},
		"helm pull oci://ghcr.io/example/charts/box --version '>=1.0.0'.": {
			Repository: "oci://ghcr.io/example/charts", Name: "box", Version: ">=1.0.0"},
		"helm pull oci://ghcr.io/example/charts/box.": {
			Repository: "oci://ghcr.io/example/charts/box", Name: "box", Version: "*"},
	} {
		_, err := workspace.FindVendored(t.TempDir(), c)
		if hint := diag.HintOf(err); !strings.HasSuffix(hint, ": "+want) {
			t.Errorf("the hint is %q, not %q", hint, want)
		}
	}
}
