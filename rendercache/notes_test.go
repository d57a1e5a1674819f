package rendercache_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/rendercache"
)

// noteIn writes notes in a process of their own, as it were.
func noteIn(t *testing.T, dir string, key rendercache.Key, of map[string]string) {
	t.Helper()
	c := open(t, rendercache.Options{Dir: dir})
	v := c.With(key, []byte("run"))
	for name, text := range of {
		v.Note(v.Name([]byte(name)), []byte(text))
	}
	c.Close()
}

func TestANoteIsThereInTheNextProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	begun := time.Now()
	noteIn(t, dir, nil, map[string]string{"one": "first", "two": "text"})
	noteIn(t, dir, nil, map[string]string{"one": "second"})
	v := open(t, rendercache.Options{Dir: dir}).With(nil, []byte("run"))
	for name, want := range map[string]string{"one": "second", "two": "text"} {
		text, at := v.NoteOf(v.Name([]byte(name)))
		if string(text) != want || at.Before(begun) || at.After(time.Now()) {
			t.Errorf("of %s it is noted %q at %s", name, text, at)
		}
	}
	if text, _ := v.NoteOf(v.Name([]byte("three"))); text != nil {
		t.Errorf("what nobody noted is %q", text)
	}
	other := open(t, rendercache.Options{Dir: dir}).With(nil, []byte("another run"))
	if text, _ := other.NoteOf(other.Name([]byte("one"))); text != nil {
		t.Error("runs of another sort have these notes")
	}
}

func TestProcessesAtATimeKeepEachOthersNotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	one, two := open(t, rendercache.Options{Dir: dir}), open(t, rendercache.Options{Dir: dir})
	a, b := one.With(nil, nil), two.With(nil, nil)
	a.Note(a.Name([]byte("one")), []byte("1"))
	b.Note(b.Name([]byte("two")), []byte("2"))
	one.Close()
	two.Close()
	v := open(t, rendercache.Options{Dir: dir}).With(nil, nil)
	for name, want := range map[string]string{"one": "1", "two": "2"} {
		if text, _ := v.NoteOf(v.Name([]byte(name))); string(text) != want {
			t.Errorf("of %s it is noted %q", name, text)
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { noteIn(t, dir, nil, map[string]string{fmt.Sprint(i): "text"}) })
	}
	all.Wait()
	v = open(t, rendercache.Options{Dir: dir}).With(nil, nil)
	if text, _ := v.NoteOf(v.Name([]byte("one"))); string(text) != "1" {
		t.Error("what was there before is lost")
	}
}

func TestDamagedNotesAreNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	noteIn(t, dir, nil, map[string]string{"one": "text"})
	path := entriesIn(t, dir)[0]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		damaged := bytes.Clone(text)
		damaged[at]++
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, rendercache.Options{Dir: dir})
		v := c.With(nil, []byte("run"))
		if text, _ := v.NoteOf(v.Name([]byte("one"))); text != nil || !c.Damaged() {
			t.Fatalf("with byte %d damaged, %q is read", at, text)
		}
	}
	noteIn(t, dir, nil, map[string]string{"two": "text"})
	c := open(t, rendercache.Options{Dir: dir})
	v := c.With(nil, []byte("run"))
	if text, _ := v.NoteOf(v.Name([]byte("two"))); string(text) != "text" || c.Damaged() {
		t.Errorf("afterwards %q is noted", text)
	}
}

func TestNotesAreEncryptedWithAKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	hashKey, err := hashing.KeyFromBytes(redact.New([]byte("a key of more than sixteen bytes, and of 32")), "a test")
	if err != nil {
		t.Fatal(err)
	}
	key, err := hashKey.ForRenders()
	if err != nil {
		t.Fatal(err)
	}
	noteIn(t, dir, key, map[string]string{"one": "canary"})
	for _, path := range entriesIn(t, dir) {
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte("canary")) {
			t.Errorf("it is in %s, %v", path, err)
		}
	}
	v := open(t, rendercache.Options{Dir: dir}).With(key, []byte("run"))
	if text, _ := v.NoteOf(v.Name([]byte("one"))); string(text) != "canary" {
		t.Errorf("it is read as %q", text)
	}
}

func TestAProcessThatStaysNotesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := open(t, rendercache.Options{Dir: dir, Stays: &rendercache.Stays{}})
	v := c.With(nil, nil)
	v.Note(v.Name([]byte("one")), []byte("text"))
	c.Close()
	if all := entriesIn(t, dir); len(all) > 0 || v.Prover() != nil {
		t.Errorf("there are %v", all)
	}
}
