package failure_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
)

func TestCausesAreKnownByKustomizesWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]render.BuildError{
		"replace operation does not apply: doc is missing path: /data/none/x: missing value":    {Cause: render.PatchedPath, Path: "/data/none/x"},
		"remove operation does not apply: doc is missing path: \"/data/none/x\": missing value": {Cause: render.PatchedPath, Path: "/data/none/x"},
		"replace operation does not apply":                                                        {Cause: render.PatchedPath},
		"trouble configuring builtin: unable to parse SM or JSON patch from an inline patch":      {Cause: render.UnreadablePatch},
		"no resource matches strategic merge patch \"ConfigMap.v1.[noGrp]/a.[noNs]\": no matches": {Cause: render.UnmatchedPatch},
		"namespace transformation produces ID conflict":                                           {Cause: render.NamespaceConflict},
		"anything else": {},
	} {
		if want.Text = text; *failure.Of(text) != want {
			t.Errorf("%s: %+v", text, *failure.Of(text))
		}
	}
}

func TestPathsInAFolderAreShownAsTheUserWritesThem(t *testing.T) {
	t.Parallel()
	show := func(path string) string { return "shown:" + path[len("/srv/repo/"):] }
	for text, want := range map[string]string{
		"evalsymlink failure on '/srv/repo/a/b.yaml' : lstat /srv/repo/a/c: no such file": "evalsymlink failure on 'shown:a/b.yaml' : lstat shown:a/c: no such file",
		"read /srv/repo/a.yaml, and /srv/repository/b.yaml":                               "read shown:a.yaml, and /srv/repository/b.yaml",
		"path /data/none/x: missing":                                                      "path /data/none/x: missing",
	} {
		if got := failure.Paths(text, "/srv/repo", show); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
