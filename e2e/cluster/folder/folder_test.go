package folder_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

func TestTwoInstallOneFileAtOnce(t *testing.T) {
	dir := folder.Empty(t)
	var writing, done sync.WaitGroup
	writing.Add(2)
	for range 2 {
		done.Go(func() {
			if err := folder.Install(dir, "program", func(part string) error {
				defer writing.Wait() // neither is installed before both are written
				defer writing.Done()
				return os.WriteFile(part, []byte("whole"), 0o755)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "program"))
	if err != nil || string(text) != "whole" {
		t.Errorf("installed %q: %v", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v: %v", entries, err)
	}
}
