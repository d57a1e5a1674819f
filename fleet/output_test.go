package fleet_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/fleet"
)

// TestWhatIsRememberedOfAFolderOpensNoWayOutOfIt writes files in an order in which the folders above each are known
// from those before it.
func TestWhatIsRememberedOfAFolderOpensNoWayOutOfIt(t *testing.T) {
	top := t.TempDir()
	dir, elsewhere := filepath.Join(top, "out"), filepath.Join(top, "elsewhere")
	for _, folder := range []string{filepath.Join(dir, "apps", "c"), elsewhere} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(elsewhere, "kept.yaml"), "kept\n")
	link := func(name, to string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	link("apps/b", elsewhere)
	link("apps/inner", "c")
	link("apps/c/leads", "../../../elsewhere")
	link("apps/dangling", "../../elsewhere/none")

	out := fleet.NewOutputFolder(dir)
	for _, step := range []struct{ link, to, file, written string }{
		{file: "apps/a/web.yaml", written: "apps/a/web.yaml"}, // apps and apps/a are known now
		{file: "apps/b/web.yaml"},
		{file: "apps/b/deep/web.yaml"},
		{file: "apps/c/web.yaml", written: "apps/c/web.yaml"},
		{file: "apps/inner/two.yaml", written: "apps/c/two.yaml"}, // so what lies behind the link is known, too
		{file: "apps/inner/leads/web.yaml"},
		{file: "apps/c/leads/kept.yaml"},
		{file: "apps/dangling/web.yaml"},
		{file: "apps/a/../b/web.yaml"},
		{file: "apps/a/../../../elsewhere/web.yaml"},
		// Links that are made in folders that are known.
		{link: "apps/a/file.yaml", to: "../../../elsewhere/kept.yaml", file: "apps/a/file.yaml"},
		{link: "apps/a/new.yaml", to: "../../../elsewhere/new.yaml", file: "apps/a/new.yaml", written: "apps/a/new.yaml"},
		{link: "apps/a/folder", to: elsewhere, file: "apps/a/folder/deep/web.yaml"},
		{link: "apps/a/same.yaml", to: "web.yaml", file: "apps/a/same.yaml", written: "apps/a/web.yaml"},
	} {
		if step.link != "" {
			link(step.link, step.to)
		}
		text := "of " + step.file + "\n"
		_, err := out.Write(dir+"/"+step.file, bytes.NewBufferString(text))
		if (err == nil) != (step.written != "") {
			t.Errorf("%s: %v", step.file, err)
		}
		if step.written == "" {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(step.written))); string(got) != text {
			t.Errorf("%s: %s holds %q, %v", step.file, step.written, got, err)
		}
	}
	only(t, elsewhere, "kept.yaml")
	if got, err := os.ReadFile(filepath.Join(elsewhere, "kept.yaml")); string(got) != "kept\n" {
		t.Errorf("what lies elsewhere holds %q, %v", got, err)
	}
}

func TestAFolderThatSomebodyRemovesIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out := fleet.NewOutputFolder(dir)
	for _, app := range []string{"a", "b"} {
		name := filepath.Join(dir, "apps", app, "web.yaml")
		if changed, err := out.Write(name, bytes.NewBufferString("a: b\n")); !changed || err != nil {
			t.Fatalf("changed %v, %v", changed, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "apps")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestManyWriteIntoFoldersThatNoneOfThemFinds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	out := fleet.NewOutputFolder(dir)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			name := filepath.Join(dir, "apps", fmt.Sprint(i%8), fmt.Sprintf("%d.yaml", i))
			if changed, err := out.Write(name, strings.NewReader(fmt.Sprintln(i))); !changed || err != nil {
				t.Errorf("%s: changed %v, %v", name, changed, err)
			}
		})
	}
	all.Wait()
	found, err := filepath.Glob(filepath.Join(dir, "apps", "*", "*.yaml"))
	if err != nil || len(found) != 64 {
		t.Errorf("%d files, %v", len(found), err)
	}
}
