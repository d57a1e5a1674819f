package lock_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// put writes a file as it stands.
func put(path string, content io.WriterTo) (bool, error) {
	var b strings.Builder
	if _, err := content.WriteTo(&b); err != nil {
		return false, err
	}
	return true, os.WriteFile(path, []byte(b.String()), 0o600)
}

func TestRunsAtOnceLoseNothing(t *testing.T) {
	top := repository(t, "schema 3\n\nClusterSecretStore/vault gone version 1\n")
	const runs = 100
	var all [runs]*lock.Update
	for i := range all {
		var updates lock.Updates
		u, err := updates.At(config.Place{Dir: filepath.Join(top, "a"), Root: top})
		if err != nil {
			t.Fatal(err)
		}
		u.Set(ref(fmt.Sprint("key-", i), "", ""), sources.Answer{Version: "1"})
		if i == 0 {
			for k := range all {
				u.Use(ref(fmt.Sprint("key-", k), "", ""))
			}
			u.Prune()
		}
		all[i] = u
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for _, u := range all {
		wait.Go(func() {
			if _, err := u.Write(t.Context(), dir, put); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	got, err := lock.Load(filepath.Join(top, lock.FileName), nil)
	if err != nil || got.Len() != runs {
		t.Errorf("%d lines of %d runs, %v", got.Len(), runs, err)
	}
}

func TestAMergeInConflictIsResolved(t *testing.T) {
	const conflicted = `schema 3

<<<<<<< HEAD
ClusterSecretStore/vault a version 1

ClusterSecretStore/vault same version 5

ClusterSecretStore/vault both version 1
||||||| base
ClusterSecretStore/vault old version 0
=======
ClusterSecretStore/vault b version 2

ClusterSecretStore/vault same version 5

ClusterSecretStore/vault both version 2
>>>>>>> branch
`
	top := repository(t, conflicted)
	u := update(t, new(lock.Updates), top, "a")
	if err := u.Err(); !errors.Is(err, lock.ErrConflict) || !strings.Contains(err.Error(), ":16: ") ||
		!strings.Contains(err.Error(), "both sides have changed ClusterSecretStore/vault both") {
		t.Errorf("before anybody is asked: %v", err)
	}
	for _, answer := range []string{"1", "2", "3"} { // as on our side, as on theirs, and newer
		u := update(t, new(lock.Updates), top, "a")
		if u.Set(ref("both", "", ""), sources.Answer{Version: answer}); u.Err() != nil {
			t.Fatal(u.Err())
		}
		if _, err := u.Write(t.Context(), t.TempDir(), put); err != nil {
			t.Fatal(err)
		}
		got, err := lock.Load(filepath.Join(top, lock.FileName), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := "\n\nClusterSecretStore/vault a version 1\n\nClusterSecretStore/vault b version 2\n\nClusterSecretStore/vault both version " +
			answer + "\n\nClusterSecretStore/vault same version 5\n"
		if text := text(t, got); !strings.HasSuffix(text, want) {
			t.Errorf("got\n%s", text)
		}
		if err := os.WriteFile(filepath.Join(top, lock.FileName), []byte(conflicted), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOlderLockIsWrittenAgain(t *testing.T) {
	top := repository(t, "schema 2\nClusterSecretStore/vault a version 1\n")
	u := update(t, new(lock.Updates), top, "a")
	u.Set(ref("b", "", ""), sources.Answer{Version: "1"})
	if _, err := u.Write(t.Context(), t.TempDir(), put); err != nil {
		t.Fatal(err)
	}
	if got, err := lock.Load(filepath.Join(top, lock.FileName), nil); err != nil || got.Len() != 2 {
		t.Errorf("%v, %v", got.Names(), err)
	}
}
