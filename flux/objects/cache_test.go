package objects_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

func TestACacheParsesATextOnceAndAnotherTextAgain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "web.yaml")
	if err := os.WriteFile(file, []byte(kustomization), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := objects.Cache{}
	read := func(system files.System) *objects.Objects {
		t.Helper()
		all, errs := cache.ReadAll(system, dir, func(err error) { t.Error(err) })
		if len(errs) > 0 || len(all) != 1 || len(all[0].Kustomizations) != 1 {
			t.Fatalf("ReadAll = %v, %v", all, errs)
		}
		return all[0]
	}
	first := read(nil)
	if again := read(nil); again != first {
		t.Error("the same text is parsed twice")
	}
	other := read(files.Replaced{Contents: map[string][]byte{file: []byte(kustomization + "  # patches\n")}})
	if other == first {
		t.Error("another text of the file is taken for the first one")
	}
	all, _ := objects.Cache(nil).ReadAll(nil, dir, nil)
	if len(all) != 1 || all[0] == first || all[0].Kustomizations[0].Name != "apps" {
		t.Errorf("without a cache ReadAll = %v", all)
	}
}

func TestWhatMayHoldObjectsNamesAGroupNotOnlyALabelOfAController(t *testing.T) {
	for text, want := range map[string]bool{
		kustomization: true,
		"metadata: {labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: shop}}": false,
		"metadata: {labels: {helm.toolkit.fluxcd.io/name: web}}\n---\n" + kustomization:                  true,
		"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\n":                     true,
		"apiVersion: v1\nkind: ConfigMap\n":                                                              false,
	} {
		if got := objects.MayHold([]byte(text)); got != want {
			t.Errorf("MayHold(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestReadReadableSkipsWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.yaml": kustomization, "b.yaml": "x: [", "c.yaml": "x: [ # .fluxcd.io/v1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, o := range objects.Cache(nil).ReadReadable(nil, dir) {
		for _, k := range o.Kustomizations {
			names = append(names, k.Name)
		}
	}
	if len(names) != 1 || names[0] != "apps" {
		t.Errorf("ReadReadable finds %q, want apps alone", names)
	}
	if all := objects.Cache(nil).ReadReadable(nil, filepath.Join(dir, "absent")); all != nil {
		t.Errorf("ReadReadable of an absent folder = %v", all)
	}
}
