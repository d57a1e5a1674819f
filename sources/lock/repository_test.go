package lock_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources/lock"
)

func TestALineHasTheCommitOfARepository(t *testing.T) {
	name, commit := lock.RepositoryName("git.example.org/a b", ">= 1.x"), strings.Repeat("0a", 20)
	f, err := lock.Parse("rollstamp.lock", []byte("schema 3\n\n"+name+" commit "+commit+"\n"))
	if err != nil || name != "repository/git.example.org/a%20b >=%201.x" || !lock.IsRepository(name) {
		t.Fatalf("%s: %v", name, err)
	}
	if got, at := f.Commit(name); got != commit || at != (diag.Position{File: "rollstamp.lock", Line: 3}) {
		t.Errorf("%s at %v", got, at)
	}
	if got, _ := f.Commit(lock.RepositoryName("git.example.org/a b", "main")); got != "" {
		t.Errorf("another revision is at %s", got)
	}
	for _, line := range []string{"repository/x main commit " + commit[1:], "repository/x main commit main", "repository/x main version 1",
		"ClusterSecretStore/vault x commit " + commit, "app/web x commit " + commit} {
		if _, err := lock.Parse("rollstamp.lock", []byte("schema 3\n"+line+"\n")); !errors.Is(err, lock.ErrLine) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestOfARepositoryInConflictTheHintNamesWhatMendsIt(t *testing.T) {
	name := lock.RepositoryName("git.example.org/values", "main")
	text := "schema 3\n<<<<<<< a\n" + name + " commit " + strings.Repeat("0", 40) + "\n=======\n" + name + " commit " + strings.Repeat("1", 40) + "\n>>>>>>> b\n"
	if _, err := lock.Parse("rollstamp.lock", []byte(text)); !errors.Is(err, lock.ErrConflict) || !strings.Contains(diag.HintOf(err), "rollstamp lock") {
		t.Errorf("%v, %s", err, diag.HintOf(err))
	}
}
