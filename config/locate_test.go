package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestAFolderLacksItsOwnConfigurationAlone(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".git", "apps/plain", "apps/set", "apps/linked"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "apps/set", config.FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("none", filepath.Join(top, "apps/linked", config.FileName)); err != nil {
		t.Fatal(err)
	}
	roots := &config.Roots{}
	for range 2 { // the folder above first, from which nothing is inherited
		for dir, want := range map[string]bool{
			"": true, "apps": true, "apps/plain": true, "apps/set": false, "apps/linked": false,
		} {
			at := config.Place{Dir: filepath.Join(top, dir), Root: top}
			if root, ok := roots.Repository(at.Dir); !ok || root != top {
				t.Errorf("%s lies in %s", at.Dir, root)
			}
			if roots.LacksConfiguration(config.Place{Dir: top, Root: top}); roots.LacksConfiguration(at) != want {
				t.Errorf("%q lacks its configuration: %v", dir, !want)
			}
		}
	}
	added := filepath.Join(top, "apps/plain", config.FileName)
	if err := os.WriteFile(added, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if new(config.Roots).LacksConfiguration(config.Place{Dir: filepath.Dir(added), Root: top}) {
		t.Error("the next run does not see a file that was added")
	}
}
