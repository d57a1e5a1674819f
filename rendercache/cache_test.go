package rendercache_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/rendercache"
)

func open(t *testing.T, o rendercache.Options) *rendercache.Cache {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "cache")
	}
	c, err := rendercache.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// entriesIn returns the files of a cache.
func entriesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestAnEntryIsReadAsItWasWrittenOrNotAtAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	v := open(t, rendercache.Options{Dir: dir}).With(nil, nil)
	name, other, text := v.Name([]byte("one")), v.Name([]byte("other")), []byte("text of an entry")
	v.Put(name, text)
	if got, err := v.Get(name); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("it is read as %q, %v", got, err)
	}
	if got, err := v.Get(other); got != nil || err != nil {
		t.Fatalf("what nobody wrote is %q, %v", got, err)
	}
	path := entriesIn(t, dir)[0]
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range written {
		changed := bytes.Clone(written)
		changed[at] ^= 0x10
		for _, damage := range [][]byte{changed, written[:at]} {
			if err := os.WriteFile(path, damage, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := v.Get(name); got != nil || !errors.Is(err, rendercache.ErrDamaged) {
				t.Fatalf("damaged at %d it is %q, %v", at, got, err)
			}
		}
	}
	v.Put(other, text)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	for _, from := range entriesIn(t, dir) {
		if from == path+".old" {
			continue
		}
		if err := os.Rename(from, path); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := v.Get(name); got != nil || !errors.Is(err, rendercache.ErrDamaged) {
		t.Errorf("the entry of another name is %q, %v", got, err)
	}
}

func TestWhatWasUsedLeastRecentlyGoesFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	v, text := open(t, rendercache.Options{Dir: dir}).With(nil, nil), bytes.Repeat([]byte("x"), 5_000)
	var names []rendercache.Name
	for i := range 30 {
		names = append(names, v.Name(fmt.Appendf(nil, "%d", i)))
		v.Put(names[i], text)
	}
	for i, path := range entriesIn(t, dir) {
		used := time.Now().Add(-time.Duration(48+i) * time.Hour)
		if err := os.Chtimes(path, used, used); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range names[:5] { // each is used now
		if got, err := v.Get(n); len(got) != len(text) || err != nil {
			t.Fatal(got, err)
		}
	}
	c := open(t, rendercache.Options{Dir: dir, Limit: 100_000})
	c.With(nil, nil).Put(v.Name(nil), []byte("x"))
	c.Close()
	for _, n := range names[:5] {
		if got, err := v.Get(n); len(got) != len(text) || err != nil {
			t.Errorf("what was used is gone: %v", err)
		}
	}
	if size := sizeOf(t, dir); size > 100_000 || size < 50_000 {
		t.Errorf("%d bytes are left", size)
	}
}

// sizeOf returns how many bytes a cache holds.
func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	for _, path := range entriesIn(t, dir) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// TestAFolderIsBoundedWhileItIsWritten has processes that never end their use of it, one that goes on and many that
// write little.
func TestAFolderIsBoundedWhileItIsWritten(t *testing.T) {
	const limit = 200_000
	for name, stays := range map[string]*rendercache.Stays{"one process": nil, "one that stays": {Again: time.Hour}} {
		dir := filepath.Join(t.TempDir(), "cache")
		v := open(t, rendercache.Options{Dir: dir, Limit: limit, Stays: stays}).With(nil, nil)
		for i := range 200 {
			v.Put(v.Name(fmt.Append(nil, i)), bytes.Repeat([]byte("x"), 5_000))
		}
		if size := sizeOf(t, dir); size > limit+limit/16+10_000 {
			t.Errorf("%s: there are %d bytes", name, size)
		}
	}
	dir := filepath.Join(t.TempDir(), "cache")
	for i := range 200 {
		v := open(t, rendercache.Options{Dir: dir, Limit: limit, Stays: &rendercache.Stays{}}).With(nil, nil)
		v.Put(v.Name(fmt.Append(nil, i)), bytes.Repeat([]byte("x"), 5_000))
	}
	if size := sizeOf(t, dir); size > limit+10_000 {
		t.Errorf("processes that were killed leave %d bytes", size)
	}
}

func TestAProcessThatStaysWritesAgainWhereItCould(t *testing.T) {
	for again, isWritten := range map[time.Duration]bool{time.Nanosecond: true, time.Hour: false} {
		dir, notes := filepath.Join(t.TempDir(), "cache"), 0
		stays := &rendercache.Stays{Again: again, Note: func(error) { notes++ }}
		v := open(t, rendercache.Options{Dir: dir, Stays: stays}).With(nil, nil)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			v.Put(v.Name(fmt.Append(nil, i)), []byte("text"))
		}
		open(t, rendercache.Options{Dir: dir})
		v.Put(v.Name(nil), []byte("text"))
		if got, err := v.Get(v.Name(nil)); (got != nil) != isWritten || err != nil || notes != 1 {
			t.Errorf("after %v it is %q, %v, with %d notes", again, got, err, notes)
		}
	}
}

func TestAFolderThatOthersCanUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link, file} {
		if _, err := rendercache.Open(rendercache.Options{Dir: path}); err == nil {
			t.Errorf("%s is used", path)
		}
	}
}

func TestManyProcessesMayUseAFolderAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c, err := rendercache.Open(rendercache.Options{Dir: dir, Limit: 1 << 16})
			if err != nil {
				t.Error(err)
				return
			}
			v := c.With(nil, nil)
			for i := range 200 {
				text := fmt.Appendf(nil, "entry %d", i%50)
				name := v.Name(text)
				if got, err := v.Get(name); err != nil || got != nil && !bytes.Equal(got, text) {
					t.Errorf("read %q, %v", got, err)
				}
				v.Put(name, text)
			}
			c.Close()
			if err := c.Trouble(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
