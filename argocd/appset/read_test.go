package appset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
)

func TestAFolderStandsForItsManifestsAndAnApplicationCountsOnce(t *testing.T) {
	const application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {project: p}\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": application, "b/c.yml": application, "template.yaml": "{{ a: b", ".hidden/a.yaml": application, "notes.txt": application,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leftOut := 0
	objects, err := appset.ReadAll(nil, dir, func(error) { leftOut++ })
	if err != nil || leftOut != 1 {
		t.Fatalf("%d left out: %v", leftOut, err)
	}
	var all []*apps.Application
	for _, o := range objects {
		all = append(all, o.Applications...)
	}
	found := apps.FindRepeated(all)
	if len(all) != 2 || len(found) != 1 || found[0].File != filepath.Join(dir, "b", "c.yml") ||
		len(apps.FindRepeated(all[:1])) != 0 {
		t.Errorf("%d applications, found %v", len(all), found)
	}
	if _, err := appset.ReadAll(nil, filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a path that is not there is read")
	}
	if _, err := appset.ReadAll(nil, filepath.Join(dir, "template.yaml"), nil); err == nil {
		t.Error("a file that is named is left out")
	}
}

func TestAFileThatSeemsToHoldApplicationsIsNotPassedOver(t *testing.T) {
	const broken = "apiVersion: argoproj.io/v1alpha1\nkind: Application\n\tx: y\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken.yaml": broken, "other.yaml": "a: [", "chart/Chart.yaml": "name: c\n", "chart/templates/app.yaml": broken,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := 0
	objects, err := appset.ReadAll(nil, dir, func(error) { left++ })
	var failed []string
	for _, o := range objects {
		for _, f := range o.Failed {
			failed = append(failed, f.Error())
		}
	}
	if err != nil || left != 2 || len(failed) != 1 || !strings.Contains(failed[0], "broken.yaml:2") {
		t.Errorf("failed %v, %d left out, %v", failed, left, err)
	}
}
