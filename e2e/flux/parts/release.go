package parts

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollstamp/rollstamp/e2e/cluster"
)

// Release is what Helm has stored of a release.
type Release struct {
	Name, Namespace string
	Version         int
	Manifest        string
	Hooks           []struct{ Path, Manifest string }
	Config          map[string]any
}

// ReleaseOf reads the newest version of a release out of Helm's Secret.
func (f *Flux) ReleaseOf(t testing.TB, storageNamespace, name string) Release {
	t.Helper()
	var secrets struct {
		Items []struct{ Data struct{ Release []byte } }
	}
	f.Get(t, "/api/v1/namespaces/"+storageNamespace+"/secrets?labelSelector=owner%3Dhelm,name%3D"+name, &secrets)
	var newest Release
	for _, secret := range secrets.Items {
		var release Release
		if err := decodeRelease(secret.Data.Release, &release); err != nil {
			t.Fatal(err)
		}
		if release.Version > newest.Version {
			newest = release
		}
	}
	if newest.Version == 0 {
		t.Fatalf("Helm has stored no release %s in %s", name, storageNamespace)
	}
	return newest
}

func decodeRelease(stored []byte, into *Release) error {
	packed, err := base64.StdEncoding.DecodeString(string(stored))
	if err != nil {
		return err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Objects are the objects of the release, hooks too.
func (r Release) Objects(t testing.TB) []cluster.Object {
	t.Helper()
	out := cluster.Parse(t, []byte(r.Manifest))
	for _, hook := range r.Hooks {
		out = append(out, cluster.Parse(t, []byte(hook.Manifest))...)
	}
	return out
}

// CompareRelease reports how objects differ from those of the release that a HelmRelease made.
func (f *Flux) CompareRelease(t testing.TB, helmRelease cluster.Object, objects []cluster.Object) string {
	t.Helper()
	history, _ := helmRelease.Field("status", "history").([]any)
	if len(history) == 0 {
		t.Fatalf("%s has no release", helmRelease)
	}
	newest, _ := history[0].(map[string]any)
	release := f.ReleaseOf(t, helmRelease.Text("status", "storageNamespace"), fmt.Sprint(newest["name"]))
	return cmp.Diff(sorted(release.Objects(t)), sorted(objects))
}

// sorted are objects in the order of their names.
func sorted(objects []cluster.Object) []cluster.Object {
	out := slices.Clone(objects)
	slices.SortStableFunc(out, func(a, b cluster.Object) int { return strings.Compare(a.String(), b.String()) })
	return out
}
