//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAKilledRunLeavesTheSourcesWhole kills runs as soon as they have written their first file: flux build has not
// touched the sources, and flux stamp has left each file as it was or as it is to be.
func TestAKilledRunLeavesTheSourcesWhole(t *testing.T) {
	t.Parallel()
	sources := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 40 {
		name := fmt.Sprintf("app-%03d", i)
		sources["flux/"+name+".yaml"] = strings.ReplaceAll(manyKustomization, "NAME", name)
		sources["apps/"+name+"/app.yaml"] = manyConsumer
	}
	whole, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	plant(t, whole, sources)
	before := contents(t, whole)
	complete(t, whole, "flux", "build", "flux", "--output-dir", out)
	built := contents(t, out)
	if got := contents(t, whole); !maps.Equal(got, before) {
		t.Error("a complete build changes the sources")
	}
	complete(t, whole, "flux", "stamp", "flux")
	stamped := contents(t, whole)

	t.Run("build", func(t *testing.T) {
		t.Parallel()
		dir := killed(t, sources, func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir+"-out", "flux-system"))
			return err == nil
		}, "flux", "build", "flux", "--output-dir")
		out := dir + "-out"
		if got := contents(t, dir); !maps.Equal(got, before) {
			t.Error("the sources are not what they were")
		}
		for name, text := range contents(t, out) {
			if strings.HasSuffix(name, ".yaml") && text != built[name] {
				t.Errorf("%s is not whole:\n%s", name, text)
			}
		}
	})
	t.Run("stamp", func(t *testing.T) {
		t.Parallel()
		dir := killed(t, sources, func(dir string) bool {
			text, err := os.ReadFile(filepath.Join(dir, "flux", "app-000.yaml"))
			return err == nil && string(text) == stamped["flux/app-000.yaml"]
		}, "flux", "stamp", "flux")
		got := contents(t, dir)
		for name := range before {
			if got[name] != before[name] && got[name] != stamped[name] {
				t.Errorf("%s is not whole:\n%s", name, got[name])
			}
		}
		for name := range got {
			// What was being written when the run was killed has a name that nothing takes for a manifest.
			if _, known := before[name]; !known && !strings.Contains(filepath.Base(name), ".yaml.rollstamp-") {
				t.Errorf("%s is left", name)
			}
		}
		complete(t, dir, "flux", "stamp", "flux")
		got = contents(t, dir)
		for name, text := range stamped {
			if got[name] != text {
				t.Errorf("%s is not what a run that ends makes of it", name)
			}
		}
	})
}

// complete runs the program to its end.
func complete(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd, said := programIn(t, dir, args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, said)
	}
}

// killed runs the program in a folder of its own with the sources, kills it with all that it has started once something
// is so, and returns the folder. One that came to its end before is run again; it writes files for some milliseconds. A
// last argument --output-dir gets the folder's name with -out.
func killed(t *testing.T, sources map[string]string, isSo func(dir string) bool, args ...string) string {
	t.Helper()
	for range 20 {
		dir := filepath.Join(t.TempDir(), "sources")
		plant(t, dir, sources)
		all := args
		if args[len(args)-1] == "--output-dir" {
			all = append(slices.Clone(args), dir+"-out")
		}
		cmd, _ := programIn(t, dir, all...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); !isSo(dir) && time.Now().Before(deadline); {
			runtime.Gosched()
		}
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait() != nil {
			return dir
		}
	}
	t.Fatalf("%v always came to its end", args)
	return ""
}

// contents returns the files of a folder by their paths.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
