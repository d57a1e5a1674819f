package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

func TestTheImageIsAPluginOfArgoCD(t *testing.T) {
	inside, outside := parts.StartCMPInImage(t, parts.Ours(), parts.EnvironImage(t)), behind(t, sidecar{})
	kustomization := "-- kustomization.yaml --\nresources: [settings.yaml, web.yaml]\n" + web
	for name, tree := range map[string]string{"manifests": web, "a kustomization": kustomization} {
		t.Run(name, func(t *testing.T) {
			call := shop(folder.New(t, tree))
			got, err := inside.Generate(t, call)
			if err != nil {
				t.Fatal(err)
			}
			want, err := outside.Generate(t, call)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || !strings.Contains(strings.Join(got, "\n"), "checksum.rollstamp.dev/") {
				t.Errorf("in the image:\n%s\noutside of it:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
