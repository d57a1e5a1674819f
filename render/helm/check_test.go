package helm

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
)

// Helm 3 reads the first document of a file of values, and Helm 4 all of them.
func TestValuesAreCheckedByTheHelmThatRenders(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"more.yaml": "a: 1\n---\n[]\n"})
	req := render.Request{Path: dir}
	req.Helm.ValuesFiles = []string{dir + "/more.yaml"}
	for version, isRefused := range map[config.HelmVersion]bool{0: false, config.Helm3: false, config.Helm4: true} {
		if err := (Engine{Version: version}).CheckValues(t.Context(), req); (err != nil) != isRefused {
			t.Errorf("Helm %d: %v", version, err)
		}
	}
}
