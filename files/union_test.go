package files_test

import (
	"bytes"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestAUnionShowsTheFirstTreeThatHoldsAPathAndTheRestElsewhere(t *testing.T) {
	of := func(at string, size int64) files.Mount {
		tree, err := files.Unpack(bytes.NewReader(packed(t, file("a.txt", size))), roomy)
		if err != nil {
			t.Fatal(err)
		}
		return files.Mount{At: at, Tree: tree}
	}
	union := files.Add(of("/none/outer/inner", 4), files.Add(of("/none/outer", 8), files.Disk{}))
	for path, size := range map[string]int64{"/none/outer/inner/a.txt": 4, "/none/outer/a.txt": 8} {
		if info, err := union.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%s: %v, %v", path, info, err)
		}
		if real, err := union.Real(path); err != nil || real != path {
			t.Errorf("%s is %s, %v", path, real, err)
		}
	}
	if text, err := union.ReadFile("union_test.go"); err != nil || len(text) == 0 {
		t.Errorf("the disk elsewhere: %v", err)
	}
	for path, is := range map[string]bool{"/none/outer/a.txt": false, "/none": true, "union.go": true} {
		if files.IsOnDisk(union, path) != is || files.IsOnDisk(nil, path) != true || files.IsOnDisk(union.Trees[0], path) {
			t.Errorf("%s is on the disk: %t", path, !is)
		}
	}
	if entries, err := union.ReadDir("/none/outer/inner"); err != nil || len(entries) != 1 {
		t.Errorf("the inner tree holds %v, %v", entries, err)
	}
}
