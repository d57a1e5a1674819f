package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
)

// TestATreeInPlaceOfTheDiskRendersTheSame renders every chart and kustomization of testdata, and those below the
// folders that ROLLSTAMP_TREES lists, from the disk and from a tree that stands in for it.
func TestATreeInPlaceOfTheDiskRendersTheSame(t *testing.T) {
	tops := []string{"../../testdata", "../../examples"}
	tops = append(tops, filepath.SplitList(os.Getenv("ROLLSTAMP_TREES"))...)
	seen, failed, random := 0, 0, 0
	for _, top := range tops {
		top, err := filepath.Abs(top)
		if err != nil {
			t.Fatal(err)
		}
		tree, ok := os.DirFS(top).(fs.ReadLinkFS)
		if !ok {
			t.Fatal("the folder cannot show its links")
		}
		mount := files.Mount{At: top, Tree: tree}
		for _, app := range appsBelow(t, top) {
			seen++
			if _, err := renderFrom(t, files.Mount{At: top, Tree: absent{}}, app, nil); err == nil {
				t.Errorf("%s: rendered from an empty tree, so from the disk", app)
			}
			onDisk, errDisk := renderFrom(t, nil, app, &config.Roots{Files: marked{files.Disk{}, top}})
			inTree, errTree := renderFrom(t, mount, app, &config.Roots{Files: mount})
			if text(errDisk) != text(errTree) {
				t.Errorf("%s: the disk says %v, the tree %v", app, errDisk, errTree)
			} else if errDisk == nil && onDisk.SecondRender != nil {
				random++ // no two renders of it are the same
			} else if !reflect.DeepEqual(withOrigins(onDisk), withOrigins(inTree)) {
				t.Errorf("%s: the renders differ", app)
			}
			if errDisk != nil {
				failed++
			}
		}
	}
	t.Logf("%d renders, %d of them an error both ways, %d random", seen, failed, random)
	if seen < 20 || failed*2 > seen {
		t.Errorf("%d renders, %d errors: too few that mean something", seen, failed)
	}
}

// withOrigins returns a render with what finds the files of its objects replaced by what that finds.
func withOrigins(out *render.Output) *render.Output {
	if out == nil || out.Locator == nil {
		return out
	}
	located := *out
	located.Origins, located.Locator = out.Locator.Origins(out.Text), nil
	return &located
}

// absent is a tree without anything.
type absent struct{}

func (absent) Open(name string) (fs.File, error) { return nil, missing(name) }

func (absent) ReadLink(name string) (string, error) { return "", missing(name) }

func (absent) Lstat(name string) (fs.FileInfo, error) { return nil, missing(name) }

func missing(name string) error { return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} }

// marked is the disk with a repository at top, as a mount shows one.
type marked struct {
	files.Disk
	top string
}

func (m marked) Lstat(path string) (fs.FileInfo, error) {
	if path == filepath.Join(m.top, ".git") {
		return m.Disk.Lstat(m.top)
	}
	return m.Disk.Lstat(path)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func renderFrom(t *testing.T, system files.System, path string, roots *config.Roots) (*render.Output, error) {
	t.Helper()
	w := wiring.New(context.Background(), func(string) (string, bool) { return "", false }, "", strings.NewReader(""))
	r, err := pipeline.Run(context.Background(), app.New(app.Spec{
		Request: &render.Request{Path: path, Files: system, Roots: roots, Plain: render.PlainOptions{Recursive: true}},
		Engines: w.Engines(config.New()),
	}))
	if err != nil {
		return nil, err
	}
	return r.Output, nil
}

// appsBelow lists the folders below top that hold a chart or a kustomization.
func appsBelow(t *testing.T, top string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			switch d.Name() {
			case "Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization":
				found = append(found, filepath.Dir(path))
			}
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}
