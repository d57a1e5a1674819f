package argocd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// values is a repository with an application in apps/web.
func values(t *testing.T) Build {
	t.Helper()
	texts := map[string]string{}
	for _, name := range strings.Fields("apps/web/Chart.yaml apps/web/a.yaml apps/web/b.yaml apps/web/c.yaml apps/web/env/one/v.yaml apps/web/env/two/v.yaml apps/web/env/two/w.yaml shared/s.yaml other/o.yaml") {
		texts[name] = ""
	}
	root := repository(t, texts)
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"apps/web/link.yaml": "../../shared/s.yaml", "apps/web/out.yaml": outside, "apps/web/folder": filepath.Dir(outside), "apps/web/near": "../../shared",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return Build{AppName: "web", Project: "p", Env: map[string]string{"ARGOCD_ENV_STAGE": "two"},
		Dir: filepath.Join(root, "apps/web"), Root: root,
		Refs: map[string]string{"values": filepath.Join(root, "other")}}
}

func TestValueFilesAreFoundAsArgoCDFindsThem(t *testing.T) {
	b := values(t)
	for given, want := range map[string]string{
		"a.yaml b.yaml":                      "apps/web/a.yaml apps/web/b.yaml",
		"a.yaml b.yaml a.yaml":               "apps/web/a.yaml apps/web/b.yaml",
		"./a.yaml a.yaml":                    "apps/web/a.yaml",
		"?.yaml":                             "apps/web/a.yaml apps/web/b.yaml apps/web/c.yaml",
		"?.yaml b.yaml":                      "apps/web/a.yaml apps/web/c.yaml apps/web/b.yaml",
		"b.yaml [a-b].yaml":                  "apps/web/b.yaml apps/web/a.yaml",
		"?.yaml [ab].yaml":                   "apps/web/a.yaml apps/web/b.yaml apps/web/c.yaml",
		"env/**/v.yaml":                      "apps/web/env/one/v.yaml apps/web/env/two/v.yaml",
		"env/**/*.yaml":                      "apps/web/env/one/v.yaml apps/web/env/two/v.yaml apps/web/env/two/w.yaml",
		"/shared/s.yaml":                     "shared/s.yaml",
		"/shared/*.yaml":                     "shared/s.yaml",
		"../../shared/s.yaml":                "shared/s.yaml",
		"link.yaml":                          "shared/s.yaml",
		"link.yaml /shared/s.yaml":           "shared/s.yaml",
		"near/s.yaml":                        "apps/web/near/s.yaml",
		"env/$ARGOCD_ENV_STAGE/v.yaml":       "apps/web/env/two/v.yaml",
		"env/${ARGOCD_ENV_STAGE}/v.yaml":     "apps/web/env/two/v.yaml",
		"$ARGOCD_APP_PROJECT_NAME/../a.yaml": "apps/web/a.yaml",
		"$values/o.yaml":                     "other/o.yaml",
		"$values/*.yaml a.yaml":              "other/o.yaml apps/web/a.yaml",
		"https://h.example/a.yaml":           "https://h.example/a.yaml",
		"https://h.example/[a.yaml":          "https://h.example/[a.yaml",
	} {
		got, _, err := b.valueFiles(&Helm{ValueFiles: strings.Fields(given)})
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], b.Root+"/")
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s\n got %v, %v\nwant %s", given, got, err, want)
		}
	}
}

func TestMissingValueFilesAreIgnoredOnlyOnRequest(t *testing.T) {
	b := values(t)
	given := []string{"gone.yaml", "none-*.yaml", "a.yaml", "$values/gone.yaml"}
	got, _, err := b.valueFiles(&Helm{ValueFiles: given, IgnoreMissingValueFiles: true})
	if err != nil || len(got) != 1 || filepath.Base(got[0]) != "a.yaml" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, one := range []string{"gone.yaml", "none-*.yaml", "$values/gone.yaml"} {
		if _, _, err := b.valueFiles(&Helm{ValueFiles: []string{one}}); err == nil {
			t.Errorf("%s is taken", one)
		}
	}
}

func TestValuesNeverComeFromOutsideOfTheRepository(t *testing.T) {
	b := values(t)
	for given, want := range map[string]string{
		"../../../x.yaml":          "valueFiles ../../../x.yaml: resolved to outside repository root",
		"out.yaml":                 "valueFiles out.yaml: resolved to outside repository root",
		"folder/secret.yaml":       "valueFiles folder/secret.yaml: resolved to outside repository root",
		"/":                        "valueFiles /: resolved to outside repository root",
		"$values/../../x.yaml":     "valueFiles $values/../../x.yaml: resolved to outside repository root",
		"$values/../shared/s.yaml": "valueFiles $values/../shared/s.yaml: resolved to outside repository root",
		"o*.yaml":                  `valueFiles: glob pattern "o*.yaml": glob match "apps/web/out.yaml" resolved to outside repository root`,
		"file:///etc/passwd":       "valueFiles file:///etc/passwd: the URL scheme 'file' is not allowed",
		"s3://bucket/a.yaml":       "valueFiles s3://bucket/a.yaml: the URL scheme 's3' is not allowed",
		"$other/a.yaml":            "valueFiles $other/a.yaml: Argo CD hands the files of another source ($other) to no plugin",
	} {
		_, _, err := b.valueFiles(&Helm{ValueFiles: []string{given}, IgnoreMissingValueFiles: true})
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", given, err, want)
		}
	}
	for _, path := range []string{"../../../x", "out.yaml", "folder/secret.yaml"} {
		if _, err := b.valueFile(path); err == nil {
			t.Errorf("file parameter %s is taken", path)
		}
	}
}

func TestCommasInParametersAreHelmsOnlyInLists(t *testing.T) {
	for value, want := range map[string]string{"a,b": `a\,b`, `a\,b`: `a\,b`, "{a,b}": "{a,b}", "{a,b": `{a\,b`,
		`a\\,b,c`: `a\\,b\,c`, "": ""} {
		if got := escapeCommas(value); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}

func TestVariablesAreExpandedAsArgoCDExpandsThem(t *testing.T) {
	b := Build{AppName: "n_a", Revision: "0123456789abcdef", Namespace: "ns", Path: "p", RepoURL: "u",
		TargetRevision: "t", Project: "x"}
	for text, want := range map[string]string{
		"$ARGOCD_APP_NAME-${ARGOCD_APP_NAMESPACE}": "n_a-ns", "$$ARGOCD_APP_NAME": "$ARGOCD_APP_NAME", "$HOME${PATH}": "", "${ARGOCD_APP_REVISION_SHORT}": "0123456",
		"$ARGOCD_APP_REVISION_SHORT_8": "01234567", "$ARGOCD_APP_REVISION": "0123456789abcdef", "100$": "100$", "${ARGOCD_APP_PROJECT_NAME}": "x",
		"$ARGOCD_APP_SOURCE_REPO_URL$ARGOCD_APP_SOURCE_PATH$ARGOCD_APP_SOURCE_TARGET_REVISION": "upt",
	} {
		if got := b.expand(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestTheTopOfTheTreeIsFoundWithoutGit(t *testing.T) {
	root := repository(t, map[string]string{"a/b/c/x": "", "git/.git/HEAD": "", "git/app/x": "",
		"_cmp_server/0f/p/_cmp_server/q/x": ""})
	at := func(dir string) string { return filepath.Join(root, dir) }
	for _, c := range []struct{ dir, path, want string }{
		{"a/b/c", "a/b/c", ""}, {"a/b/c", "./a/b/c/", ""}, {"a/b/c", "x/y/c", "a/b"}, {"a/b/c", "", "a/b/c"}, {"a/b/c",
			".", "a/b/c"}, {"a/b/c", "z", "a/b/c"},
		{"git/app", "", "git"}, {"git/app", "app", "git"},
		{"_cmp_server/0f/p/_cmp_server/q", "p/_cmp_server/q", "_cmp_server/0f"}, {"_cmp_server/0f/p", "a/b",
			"_cmp_server/0f"}, {"_cmp_server/0f", "", "_cmp_server/0f"},
	} {
		if got := Root(at(c.dir), c.path, nil); got != filepath.Clean(at(c.want)) {
			t.Errorf("%s, %s: got %s, want %s", c.dir, c.path, got, at(c.want))
		}
	}
}
