package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestFilesOfFluxAreRestoredWhereOneCannotBeWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	before := []byte("a: before\n")
	if err := os.WriteFile("first.yaml", before, 0o600); err != nil {
		t.Fatal(err)
	}
	changed := []*fluxFile{
		{name: "first.yaml", have: before, text: []byte("a: after\n")},
		{name: "first.yaml/second.yaml", text: []byte("b: after\n")}, // no folder can have the name of a file
	}
	err := writeFluxFiles(&program{}, changed, false)
	if diag.ExitOf(err) == diag.ExitOK || err == nil {
		t.Errorf("writing into a file as a folder: no error, %v", err)
	}
	if got, err := os.ReadFile("first.yaml"); err != nil || !bytes.Equal(got, before) {
		t.Errorf("first.yaml is %q, %v; want it as it was", got, err)
	}
}

func TestAFailedObjectIsMeantByTheWholePartsOfItsName(t *testing.T) {
	for _, c := range []struct {
		object, name string
		want         bool
	}{
		{"HelmRelease shop/web", "web", true},
		{"HelmRelease shop/prod-web-eu", "web", true},
		{"HelmRelease shop/prod.web-eu", "web-eu", true},
		{"HelmRelease web", "web", true},
		{"HelmRelease shop/webhook", "web", false},
		{"HelmRelease shop/prod-web2", "web", false},
		{"HelmRelease web/api", "web", false},
	} {
		run := fluxRun{failed: []fluxFailure{{object: c.object}}}
		if got := run.mayBeFailed("HelmRelease", c.name); got != c.want {
			t.Errorf("%s may be %s: %v, want %v", c.object, c.name, got, c.want)
		}
	}
}
