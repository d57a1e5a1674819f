package hashing_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
)

func renderKey(t *testing.T, text string) *hashing.RenderKey {
	t.Helper()
	key, err := hashing.KeyFromBytes(redact.New([]byte(text)), "test")
	if err != nil {
		t.Fatal(err)
	}
	of, err := key.ForRenders()
	if err != nil {
		t.Fatal(err)
	}
	return of
}

func TestACachedRenderIsReadWithItsKeyUnderItsNameOnly(t *testing.T) {
	const text = "sixteen bytes or more"
	key, other := renderKey(t, text), renderKey(t, text+"!")
	name, entry := []byte("name"), []byte("password: canary")
	sealed := key.Seal(name, entry)
	if got, err := renderKey(t, text).Open(name, sealed); err != nil || !bytes.Equal(got, entry) {
		t.Fatalf("it is read as %q, %v", got, err)
	}
	if bytes.Contains(sealed, []byte("canary")) || bytes.Equal(sealed, key.Seal(name, entry)) {
		t.Error("the text shows")
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for what, err := range map[string]error{
		"another name": second(key.Open([]byte("other"), sealed)),
		"another key":  second(other.Open(name, sealed)),
		"changed":      second(key.Open(name, changed)),
		"cut":          second(key.Open(name, sealed[:8])),
		"empty":        second(key.Open(name, nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if key.Name(entry) == other.Name(entry) || key.Name(entry) != renderKey(t, text).Name(entry) {
		t.Error("names do not follow from the key")
	}
	if shown := fmt.Sprintf("%v %+v", key, *key); bytes.Contains([]byte(shown), []byte(text)) {
		t.Error("the key is printed")
	}
}

func second(_ []byte, err error) error { return err }
