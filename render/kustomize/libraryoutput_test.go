package kustomize

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestWhatTheLibraryPrintsIsDroppedWhileAnyBuildRuns(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	standard := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = standard }()
	var s standardError
	first := s.drop()
	second := s.drop()
	first()
	fmt.Fprintln(os.Stderr, "the library")
	second()
	fmt.Fprintln(os.Stderr, "others")
	got, err := os.ReadFile(file.Name())
	if want := "others\n"; err != nil || string(got) != want {
		t.Errorf("standard error has %q, %v; want %q", got, err, want)
	}
}
