package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func class(err error) sources.Class {
	var f *sources.Failure
	if errors.As(err, &f) {
		return f.Class
	}
	return ""
}

func TestAFileBelowTheFolderIsAValue(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{"secrets/db": "hunter2", "secrets/deep/app.json": `{"a": "x"}`, "outside": "no"} {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(top, "secrets/link")); err != nil {
		t.Fatal(err)
	}
	f := Folder{filepath.Join(top, "secrets"), true}
	for want, ref := range map[string]sources.Ref{"hunter2": {Key: "db"}, "x": {Key: "/deep/app.json", Property: "a"}} {
		if got, err := f.Version(t.Context(), ref); err != nil || string(got.Value.Reveal()) != want {
			t.Errorf("%+v: got %s, %v", ref, got.Value.Reveal(), err)
		}
	}
	for name, c := range map[string]struct {
		f    Folder
		ref  sources.Ref
		want sources.Class
	}{
		"above": {f, sources.Ref{Key: "../outside"}, sources.Refused}, "a link out": {f, sources.Ref{Key: "link"}, sources.Refused},
		"absent": {f, sources.Ref{Key: "none"}, sources.NotFound}, "a folder": {f, sources.Ref{Key: "deep"}, sources.Refused},
		"a property": {f, sources.Ref{Key: "db", Property: "x"}, sources.NotFound}, "a version": {f, sources.Ref{Key: "db", Version: "1"}, sources.Unsupported},
		"a search": {f, sources.Ref{Find: &sources.Find{}}, sources.Unsupported}, "no key": {f, sources.Ref{}, sources.Refused},
		"without permission": {Folder{f.Path, false}, sources.Ref{Key: "db"}, sources.NoVersions},
		"no folder":          {Folder{top + "/none", true}, sources.Ref{Key: "db"}, sources.Unavailable},
	} {
		if _, err := c.f.Version(t.Context(), c.ref); class(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestAVariableIsAValue(t *testing.T) {
	vars := map[string]string{"APP_DB": "hunter2", "DB": "no"}
	v := Variables{"APP_", func(name string) (string, bool) { text, ok := vars[name]; return text, ok }, true}
	if got, err := v.Version(t.Context(), sources.Ref{Key: "DB"}); err != nil || string(got.Value.Reveal()) != "hunter2" {
		t.Errorf("got %s, %v", got.Value.Reveal(), err)
	}
	if _, err := v.Version(t.Context(), sources.Ref{Key: "OTHER"}); class(err) != sources.NotFound {
		t.Errorf("got %v", err)
	}
	v.Values = false
	if _, err := v.Version(t.Context(), sources.Ref{Key: "DB"}); class(err) != sources.NoVersions {
		t.Errorf("got %v", err)
	}
}
