package wiring_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/wiring"
)

// derivation derives the text of a render and of a file beside its application, and counts how often.
type derivation struct {
	t           *testing.T
	dir, cache  string
	made        int
	isUnstable  bool
	meanwhile   func() // is called when the file was read; nil is nothing
	lastDamaged bool
}

func newDerivation(t *testing.T) *derivation {
	d := &derivation{t: t, dir: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache")}
	d.write("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	d.write("beside", "one")
	return d
}

func (d *derivation) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *derivation) of(_ context.Context, a *app.Application, r *pipeline.Result) (string, bool, error) {
	d.made++
	text, err := files.OrDisk(a.Request().Files).ReadFile(filepath.Join(d.dir, "beside"))
	if d.meanwhile != nil {
		d.meanwhile()
	}
	return string(r.Output.Text) + string(text), !d.isUnstable, err
}

// derive derives it in a run of its own, and reports whether that was done again. What it returns is held to what
// follows from the files.
func (d *derivation) derive(name string) (again bool) {
	d.t.Helper()
	paths := wiring.Paths{Wiring: connect(d.t, ""), Flags: config.Flags{"render-cache": {d.cache}}}
	a, err := paths.Application(d.t.Context(), app.Place{Roots: &config.Roots{}}, filepath.Join(d.dir, "app"))
	if err != nil {
		d.t.Fatal(err)
	}
	rendered, err := pipeline.RunLazily(d.t.Context(), a)
	if err != nil {
		d.t.Fatal(err)
	}
	before := d.made
	got, err := pipeline.Derive(d.t.Context(), a, rendered, pipeline.Derivation[string]{Name: name, Of: d.of})
	if err != nil {
		d.t.Fatal(err)
	}
	result, err := rendered.Result()
	if err != nil {
		d.t.Fatal(err)
	}
	beside, err := os.ReadFile(filepath.Join(d.dir, "beside"))
	if want := string(result.Output.Text) + string(beside); err != nil || d.meanwhile == nil && got != want {
		d.t.Fatalf("%q is derived, and not %q, %v", got, want, err)
	}
	d.lastDamaged = len(rendered.Damaged()) > 0
	return d.made > before
}

func TestWhatFollowsFromAResultIsDerivedOnce(t *testing.T) {
	d := newDerivation(t)
	if !d.derive("one") || d.derive("one") {
		t.Error("it is not derived the first time only")
	}
	if !d.derive("two") || d.derive("two") || d.derive("one") {
		t.Error("two derivations are one")
	}
	for name, text := range map[string]string{"beside": "two", "app/a.yaml": "kind: Other\n", "app/b.yaml": "kind: More\n"} {
		d.write(name, text)
		if !d.derive("one") || d.derive("one") {
			t.Errorf("a change of %s has it not derived once more", name)
		}
	}
	d.isUnstable = true
	for range 2 {
		if !d.derive("three") {
			t.Error("what may come to something else is stored")
		}
	}
}

func TestWhatIsDerivedWhileFilesChangeIsNotStored(t *testing.T) {
	for _, name := range []string{"beside", "app/a.yaml", "app/b.yaml"} {
		d := newDerivation(t)
		d.derive("before")
		d.meanwhile = func() { d.write(name, "kind: Changed\n") }
		d.derive("one")
		d.meanwhile = nil
		if !d.derive("one") || d.derive("one") {
			t.Errorf("after a change of %s it is derived another number of times than once", name)
		}
	}
}

func TestADamagedEntryIsDerivedAgainAndReported(t *testing.T) {
	d := newDerivation(t)
	d.derive("one")
	damaged := 0
	err := filepath.WalkDir(d.cache, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text[len(text)-1]++
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		if d.derive("one") {
			damaged++
			if !d.lastDamaged {
				t.Error("it is not reported")
			}
		}
		if d.derive("one") || d.lastDamaged {
			t.Errorf("%s stays damaged", path)
		}
		return nil
	})
	if err != nil || damaged != 1 {
		t.Errorf("with each entry damaged it is derived again %d times, %v", damaged, err)
	}
}
