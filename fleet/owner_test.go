//go:build unix

package fleet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/fleet"
)

func TestWriteFileKeepsTheOwnerAndTheGroup(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.yaml")
	write(t, name, "old\n")
	uid, gid := 12345, 23456
	if os.Getuid() != 0 {
		groups, err := os.Getgroups()
		if err != nil || len(groups) < 2 {
			t.Skip("needs root, or a second group")
		}
		uid, gid = os.Getuid(), groups[len(groups)-1]
	}
	if err := os.Chown(name, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if changed, err := fleet.WriteFile(name, bytes.NewBufferString("new\n")); !changed || err != nil {
		t.Fatalf("changed %v, %v", changed, err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if now := info.Sys().(*syscall.Stat_t); int(now.Uid) != uid || int(now.Gid) != gid || info.Mode().Perm() != 0o640 {
		t.Errorf("it is of %d:%d, mode %v", now.Uid, now.Gid, info.Mode())
	}
}
