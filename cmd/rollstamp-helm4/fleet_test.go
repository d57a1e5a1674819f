package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository copies testdata/fleet to where it is a repository.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(ours, "fleet"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAnUpgradeOfHelmIsShownForApplicationsThatNameAVersion(t *testing.T) {
	rollstamp, dir := programs(t), repository(t)
	for _, of := range []struct {
		args []string
		want []string
	}{
		{[]string{"apps/*"}, []string{"Deployment web of apps/v3", "Deployment web of apps/v4"}},
		{[]string{"--as", "argocd", "--repo", "https://git.example.org/shop.git=.", "argocd"},
			[]string{"ConfigMap native/settings of argocd/native", "ConfigMap plugin/settings of argocd/plugin"}},
		{[]string{"--as", "flux", "--source", "GitRepository/flux-system/shop=.", "flux"}, []string{"ConfigMap apps/settings"}},
	} {
		out, code := run(t, dir, rollstamp, append([]string{"diff", "--engine", "helm=3:4"}, of.args...)...)
		for _, object := range of.want {
			if !strings.Contains(out, "\n  ~ "+object+"\n") {
				t.Errorf("%v: %s does not change", of.args, object)
			}
		}
		changes := strings.Count(out, "helm: v3.22.0 -> v4.3.1\n")
		if code != 1 || changes != len(of.want) {
			t.Errorf("%v: it ends with %d and %d changes:\n%s", of.args, code, changes, out)
		}
	}
}

func TestObjectsThatSayWhatTheirEngineRendersAreNotSaidToStay(t *testing.T) {
	rollstamp, dir := programs(t), repository(t)
	for folder, as := range map[string]string{"argocd": "argocd", "flux": "flux"} {
		out, code := run(t, dir, rollstamp, "diff", "--engine", "helm=3:4", folder)
		hint := "hint: Pass --as " + as + " to compare what it renders."
		if code != 3 || strings.Contains(out, "nothing differs") || !strings.Contains(out, hint) {
			t.Errorf("%s: it ends with %d:\n%s", folder, code, out)
		}
	}
}

func TestWhatAnApplicationLooksUpIsRenderedByTheHelmOfTheApplication(t *testing.T) {
	rollstamp, dir := programs(t), repository(t)
	alone := map[string]string{}
	for _, app := range []string{"apps/v3", "apps/v4"} {
		out, code := run(t, dir, rollstamp, "render", app)
		_, digest, stamped := strings.Cut(out, "checksum.rollstamp.dev/configmap.settings: ")
		if !stamped || code != 0 {
			t.Fatalf("%s ends with %d:\n%s", app, code, out)
		}
		alone[app], _, _ = strings.Cut(digest, "}")
	}
	if alone["apps/v3"] == alone["apps/v4"] {
		t.Errorf("both have the digest %s", alone["apps/v3"])
	}
	out, code := run(t, dir, rollstamp, "render", "--output-dir", "out", "apps/v3", "apps/v4")
	if code != 0 {
		t.Fatalf("it ends with %d: %s", code, out)
	}
	for app, digest := range alone {
		if text, err := os.ReadFile(filepath.Join(dir, "out", app, "manifests.yaml")); err != nil || !strings.Contains(string(text), digest) {
			t.Errorf("%s beside the other: %v, without %s:\n%s", app, err, digest, text)
		}
	}
}
