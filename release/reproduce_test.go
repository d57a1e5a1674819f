package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
)

// writeRelease writes a release of two files and an image.
func writeRelease(t *testing.T, content string, img image.Tagged) string {
	t.Helper()
	dir := files(t, map[string]string{"one": content, "two": "same"})
	var r dist.Release
	var err error
	for _, name := range []string{"one", "two"} {
		if r, err = r.Add(dir, dist.Artifact{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.WriteChecksums(dir); err != nil {
		t.Fatal(err)
	}
	if err := image.WriteLayout(filepath.Join(dir, "image"), []image.Tagged{img}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newImage(t *testing.T) image.Tagged {
	t.Helper()
	index, err := random.Index(10, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return image.Tagged{Tag: "1", Index: index}
}

func TestTwoBuildsAreHeldAgainstEachOther(t *testing.T) {
	img := newImage(t)
	first := writeRelease(t, "a", img)
	if err := compare(first, writeRelease(t, "a", img)); err != nil {
		t.Error(err)
	}
	err := compare(first, writeRelease(t, "b", img))
	if err == nil || !strings.Contains(err.Error(), "two builds differ: one, 2 and 2 files") {
		t.Errorf("another file: %v", err)
	}
	if err := compare(first, writeRelease(t, "a", newImage(t))); err == nil || !strings.Contains(err.Error(), "different images") {
		t.Errorf("another image: %v", err)
	}
	if err := compare(t.TempDir(), first); err == nil || !strings.Contains(err.Error(), "the first build") {
		t.Errorf("no first build: %v", err)
	}
}

func TestATreeWithChangesIsNotBuiltTwice(t *testing.T) {
	dir := files(t, map[string]string{"go.mod": "module x\n"})
	err := run(t.Context(), []string{"reproduce", "-source", dir, "-out", dir})
	if err == nil || !strings.Contains(err.Error(), "only a commit can be built a second time") {
		t.Errorf("%v", err)
	}
}

func TestACommandThatIsNotThereIsAnError(t *testing.T) {
	for _, args := range [][]string{nil, {"publish"}} {
		if err := run(t.Context(), args); err == nil {
			t.Errorf("%v succeeded", args)
		}
	}
}
