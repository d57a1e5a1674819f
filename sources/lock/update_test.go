package lock_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// repository has a lock at its top and another in the folder own.
func repository(t *testing.T, text string) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".git", "a", "b", "own"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"", "own"} {
		if err := os.WriteFile(filepath.Join(top, dir, lock.FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func update(t *testing.T, all *lock.Updates, top, dir string) *lock.Update {
	t.Helper()
	u, err := all.At(config.Place{Dir: filepath.Join(top, dir), Root: top})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestApplicationsShareTheLockAboveThem(t *testing.T) {
	const was = "schema 3\nClusterSecretStore/vault one version 1\nClusterSecretStore/vault two version 1\n"
	top := repository(t, was)
	var all lock.Updates
	a, b, own := update(t, &all, top, "a"), update(t, &all, top, "b"), update(t, &all, top, "own")
	if a != b || own == a || len(all) != 2 || a.Own() || !own.Own() {
		t.Fatalf("%d locks, that of two applications is their own: %v, that of one: %v", len(all), a.Own(), own.Own())
	}
	a.Set(ref("one", "", ""), sources.Answer{Version: "2"})
	b.Use(ref("two", "", ""))
	a.Prune()
	if got := fmt.Sprint(a.Changes()); got != "[{ClusterSecretStore/vault one version 1 version 2}]" || text(t, a.Old()) == text(t, a.New()) {
		t.Errorf("it changes %s", got)
	}
	own.Prune()
	if got := len(own.Changes()); got != 2 || own.New().Len() != 0 || own.Empty() {
		t.Errorf("%d lines change where nothing is used, %d are left", got, own.New().Len())
	}
}

func TestALockIsBegunInTheFolderOfTheApplication(t *testing.T) {
	top := repository(t, "schema 3\n")
	if err := os.Remove(filepath.Join(top, lock.FileName)); err != nil {
		t.Fatal(err)
	}
	var all lock.Updates
	u := update(t, &all, top, "a")
	if u.Path() != filepath.Join(top, "a", lock.FileName) || !u.Own() || !u.Empty() || u != update(t, &all, top, "a") {
		t.Errorf("it lies at %s, own %v, empty %v", u.Path(), u.Own(), u.Empty())
	}
	if u.Set(ref("one", "", ""), sources.Answer{Version: "1"}); u.Err() != nil || u.Empty() {
		t.Errorf("%v, empty %v", u.Err(), u.Empty())
	}
}

func TestDigestsOfTwoHashDomainsDoNotGoIntoOneLock(t *testing.T) {
	var all lock.Updates
	u := update(t, &all, repository(t, "schema 3\n"), "a")
	other := strings.Repeat("0", len(digest))
	u.Set(ref("a", "x", ""), sources.Answer{Digest: digest})
	if u.Set(ref("a", "x", ""), sources.Answer{Digest: digest}); u.Err() != nil {
		t.Errorf("the same digest: %v", u.Err())
	}
	u.Set(ref("a", "x", ""), sources.Answer{Digest: other})
	if err := u.Err(); diag.ExitOf(diag.Unjoin(err)[0]) != diag.ExitUsage || diag.HintOf(diag.Unjoin(err)[0]) == "" {
		t.Errorf("another digest: %v", err)
	}
}

func TestDigestsOfAnotherHashKeyAreAnErrorOfTheirs(t *testing.T) {
	line := "ClusterSecretStore/vault %s value " + digest + " %s\n"
	was := "schema 3\n" + fmt.Sprintf(line, "a", key) + fmt.Sprintf(line, "b", key) + "ClusterSecretStore/vault old value " + digest + "\nClusterSecretStore/vault v version 1\n"
	other := strings.Repeat("0", len(key))
	for what, c := range map[string]struct {
		with     string
		keys     []string
		reported string // the first reference, and how many there are more; "" for no error
	}{
		"the same key":                     {key, []string{"a", "b", "old"}, ""},
		"another key":                      {other, []string{"b", "a", "old"}, "vault a: locked with another hash key (as are 1 more)"},
		"another key for one":              {other, []string{"b", "v"}, "vault b: locked with another hash key"},
		"another key where none is known":  {other, []string{"old"}, ""},
		"another key for what has no line": {other, []string{"c", "v"}, ""},
	} {
		var all lock.Updates
		u := update(t, &all, repository(t, was), "a")
		for _, k := range c.keys {
			u.Set(ref(k, "", ""), sources.Answer{Digest: strings.Repeat("1", len(digest)), Key: c.with})
		}
		err := u.OtherKey()
		if (err != nil) != (c.reported != "") || err != nil && (!strings.HasSuffix(err.Error(), c.reported) || diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(diag.HintOf(err), "--rekey") || !strings.Contains(err.Error(), lock.FileName+":")) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestDigestsThatAllDifferTellOfAnotherHashKey(t *testing.T) {
	was := "schema 3\nClusterSecretStore/vault a value " + digest + "\nClusterSecretStore/vault b value " + digest + "\nClusterSecretStore/vault c version 1\n"
	other := strings.Repeat("0", len(digest))
	for what, c := range map[string]struct {
		a, b     sources.Answer
		reported bool
	}{
		"all differ":           {sources.Answer{Digest: other}, sources.Answer{Digest: other}, true},
		"one is the same":      {sources.Answer{Digest: other}, sources.Answer{Digest: digest}, false},
		"one has a version":    {sources.Answer{Digest: other}, sources.Answer{Version: "1"}, false},
		"nothing has differed": {sources.Answer{Digest: digest}, sources.Answer{Digest: digest}, false},
	} {
		var all lock.Updates
		u := update(t, &all, repository(t, was), "a")
		for key, answer := range map[string]sources.Answer{"a": c.a, "b": c.b, "c": {Version: "2"}} {
			u.Set(ref(key, "", ""), answer)
		}
		if found := u.RekeyFinding(); (len(found) > 0) != c.reported || c.reported &&
			(found[0].Code != diag.OtherHashKey || found[0].Line != 2) {
			t.Errorf("%s: %v", what, found)
		}
	}
}
