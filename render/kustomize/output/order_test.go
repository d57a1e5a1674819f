package output

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func TestLegacyOrderEqualsKustomizes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	kinds := append(append([]string{"Job", "Custom", "A", "Pod", "Ingress"}, kindsFirst[:]...), kindsLast[:]...)
	versions := []string{"v1", "apps/v1", "example.com/v1", "example.com/v1beta1", "a/v2"}
	for range 50 {
		m := resmap.New()
		for range 60 {
			r, err := factory().FromMap(map[string]any{
				"apiVersion": versions[rnd.IntN(len(versions))],
				"kind":       kinds[rnd.IntN(len(kinds))],
				"metadata":   map[string]any{"name": fmt.Sprint("n", rnd.IntN(30)), "namespace": []string{"", "b", "a"}[rnd.IntN(3)]},
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = m.Append(r) // the same object twice is left out
		}
		text, err := m.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		disk := filesys.MakeFsInMemory()
		for name, b := range map[string][]byte{"kustomization.yaml": []byte("resources: [all.yaml]"), "all.yaml": text} {
			if err := disk.WriteFile(name, b); err != nil {
				t.Fatal(err)
			}
		}
		opts := krusty.MakeDefaultOptions()
		opts.Reorder = krusty.ReorderOptionLegacy
		sorted, err := krusty.MakeKustomizer(opts).Run(disk, ".")
		if err != nil {
			t.Fatal(err)
		}
		got := Sort(m.Resources())
		for i, want := range sorted.AllIds() {
			if got[i].CurId() != want {
				t.Fatalf("place %d holds %s, want %s", i, got[i].CurId(), want)
			}
		}
	}
}
