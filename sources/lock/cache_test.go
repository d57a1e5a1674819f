package lock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

func TestALockIsParsedOnceForEachOfItsTexts(t *testing.T) {
	var cache lock.Cache
	dir := t.TempDir()
	at := config.Place{Dir: dir, Root: dir}
	read := func(content string) *lock.File {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, lock.FileName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := cache.Nearest(at)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	line := func(version string) string {
		var f lock.File
		f.Set(ref("a", "", ""), sources.Answer{Version: version})
		return text(t, &f)
	}
	first, second := line("1"), line("2")
	one := read(first)
	if read(first) != one {
		t.Error("an equal text is parsed once more")
	}
	if toWrite, err := cache.NearestToWrite(at); err != nil || toWrite == one {
		t.Errorf("what may be in conflict is the lock that is in force: %v", err)
	} else if again, _ := cache.NearestToWrite(at); again != toWrite || read(first) != one {
		t.Error("a lock is parsed once more after it was read to write it")
	}
	if two := read(second); two == one || text(t, two) == text(t, one) {
		t.Error("another text has the lock of the first one")
	}
	if err := os.WriteFile(filepath.Join(dir, lock.FileName), []byte("schema 3\n<<<<<<< a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := cache.Nearest(at); err == nil {
			t.Error("what is no lock is none the second time, too")
		}
		if _, err := cache.NearestToWrite(at); err != nil {
			t.Errorf("what a merge left is read to write it: %v", err)
		}
	}
	if err := os.Remove(filepath.Join(dir, lock.FileName)); err != nil {
		t.Fatal(err)
	}
	if file, err := cache.Nearest(at); file != nil || err != nil {
		t.Errorf("a lock that is gone: %v, %v", file, err)
	}
}
