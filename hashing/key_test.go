package hashing

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

const sixteen = "0123456789abcdef"

func TestKeyIsTheFileLessItsTrailingLineEnds(t *testing.T) {
	t.Parallel()
	want := Value("Secret", "x", nil, givenKey(t, sixteen))
	for _, text := range []string{sixteen, sixteen + "\n", sixteen + "\r\n", sixteen + "\n\r\n\n"} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := LoadKey(path)
		if err != nil {
			t.Fatal(err)
		}
		if Value("Secret", "x", nil, &key) != want {
			t.Errorf("%q is another key", text)
		}
	}
	for _, text := range []string{sixteen + " ", "\n" + sixteen, sixteen + "\n.", sixteen + "\t\n"} {
		if Value("Secret", "x", nil, givenKey(t, text)) == want {
			t.Errorf("%q is the same key", text)
		}
	}
}

func TestAKeyThatCannotBeUsedIsAnErrorOfItsKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{filepath.Join(dir, "nowhere"), ErrKeyMissing},
		{dir, ErrKeyUnreadable},
		{filepath.Join(write("file", sixteen), "below"), ErrKeyUnreadable},
		{write("empty", ""), ErrKeyEmpty},
		{write("newlines", "\r\n\n"), ErrKeyEmpty},
		{write("short", "correct-horse-0\n\n"), ErrKeyShort},
	} {
		_, err := LoadKey(c.path)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.path, err, c.want)
			continue
		}
		if diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: exit code %d", c.path, diag.ExitOf(err))
		}
		if strings.Count(err.Error(), c.path) != 1 {
			t.Errorf("the error does not name the file once: %v", err)
		}
		if strings.Contains(err.Error(), "horse") {
			t.Errorf("the error shows the key: %v", err)
		}
	}
}

func TestAKeyOfSixteenBytesIsLongEnough(t *testing.T) {
	t.Parallel()
	if _, err := KeyFromBytes(redact.New([]byte(sixteen)), "env"); err != nil {
		t.Error(err)
	}
	_, err := KeyFromBytes(redact.New([]byte(sixteen[1:])), "env ROLLSTAMP_HASH_KEY")
	if !errors.Is(err, ErrKeyShort) || !strings.Contains(err.Error(), "env ROLLSTAMP_HASH_KEY") {
		t.Errorf("got %v", err)
	}
}

func TestAKeyCannotBePrinted(t *testing.T) {
	t.Parallel()
	key := *givenKey(t, sixteen)
	holder := struct {
		Open   Key
		Nested *Key
		inside Key
	}{key, &key, key}
	var out bytes.Buffer
	for _, verb := range strings.Fields("%v %+v %#v %s %q %x %X %d %b %o %t %c %U %T %p") {
		fmt.Fprintf(&out, verb+"\n"+verb+"\n"+verb+"\n", key, &key, holder)
	}
	fmt.Fprintln(&out, fmt.Errorf("use %v: %w", key, io.EOF))
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", key, "holder", holder)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", key, "holder", holder)
	if err := json.NewEncoder(&out).Encode(holder); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{sixteen, fmt.Sprintf("%x", sixteen), fmt.Sprintf("%X", sixteen), fmt.Sprintf("%d", []byte(sixteen)), "48 49 50", "MDEyMzQ1"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the key shows as %s in:\n%s", form, out.String())
		}
	}
}

func TestDomainsKeepDigestsApart(t *testing.T) {
	t.Parallel()
	key := *givenKey(t, sixteen)
	seen := map[string]string{}
	for _, domain := range []string{"", "a", "b", "ab", "a\n", "ä"} {
		k := key.InDomain(domain)
		v := Value("Secret", "x", nil, &k)
		if other, has := seen[v]; has {
			t.Errorf("domains %q and %q give the same digest", domain, other)
		}
		seen[v] = domain
	}
	if v := Value("Secret", "x", nil, &key); seen[v] != "" || len(seen) != 6 {
		t.Error("the empty domain is not the key itself")
	}
}

func TestANewKeyIsRandomAndCanBeUsed(t *testing.T) {
	t.Parallel()
	a, err := NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if a == b || len(a) != 43 || strings.Trim(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("got %q and %q", a, b)
	}
	if _, err := KeyFromBytes(redact.New([]byte(a+"\n")), "new"); err != nil {
		t.Error(err)
	}
	if _, err := NewKey(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no randomness: got %v", err)
	}
}

func TestWhichDigestsAreKeyed(t *testing.T) {
	t.Parallel()
	key := givenKey(t, sixteen)
	for _, c := range []struct {
		kind string
		from Provenance
		key  *Key
		want *Key
		err  error
	}{
		{"Secret", Written, key, key, nil},
		{"Secret", Written, nil, nil, nil},
		{"Secret", Fetched, key, key, nil},
		{"Secret", Fetched, nil, nil, ErrKeyNeeded},
		{"ConfigMap", Written, key, nil, nil},
		{"ConfigMap", Written, nil, nil, nil},
		{"ConfigMap", Fetched, key, key, nil},
		{"ConfigMap", Fetched, nil, nil, ErrKeyNeeded},
		{"SecretProviderClass", Written, key, key, nil},
		{"SecretProviderClass", Written, nil, nil, nil},
	} {
		got, err := KeyFor(c.kind, c.from, c.key)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s, %d, key %t: got key %t, %v", c.kind, c.from, c.key != nil, got != nil, err)
		}
		if err != nil && diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: exit code %d", c.kind, diag.ExitOf(err))
		}
	}
}
