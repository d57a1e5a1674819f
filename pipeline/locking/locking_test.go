package locking_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// reading is an application whose workload reads keys of a store: the one of its name, and shared.
const reading = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: NAME}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data: [{secretKey: k, remoteRef: {key: NAME}}, {secretKey: s, remoteRef: {key: shared}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: NAME}}]}]}}}
`

// place makes a repository with an application for each name, with its hash domain behind an @, and collects them.
func place(t *testing.T, names ...string) []*locking.App {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var apps []*locking.App
	write(t, filepath.Join(top, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(top, lock.FileName),
		"schema 3\nClusterSecretStore/vault gone version 1\nClusterSecretStore/vault shared version 1\n")
	for _, name := range names {
		name, domain, other := strings.Cut(name, "@")
		flags := config.Flags{}
		if other {
			flags["hash-domain"] = []string{domain}
		}
		path := filepath.Join(top, name)
		write(t, filepath.Join(path, "app.yaml"), strings.ReplaceAll(reading, "NAME", name))
		at, err := config.Locate(path)
		if err != nil {
			t.Fatal(err)
		}
		settings, err := config.Resolve(config.Inputs{Place: at, Env: func(string) (string, bool) { return "", false }, Flags: flags})
		if err != nil {
			t.Fatal(err)
		}
		a, err := locking.Collect(context.Background(), app.New(app.Spec{
			Name: name, Request: &render.Request{Path: path}, Engines: render.Engines{render.KindPlain: plain.Engine{}},
			Settings: settings, Stamping: &app.Stamping{},
		}))
		if err != nil || !a.Fetches() {
			t.Fatalf("%s: %v, it fetches %+v", name, err, a)
		}
		apps = append(apps, a)
	}
	return apps
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// store answers version 2 for every key, and writes down each call with what is asked for.
type store struct {
	calls []string
	fails string // a key
}

func (s *store) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	var keys []string
	answers := make([]sources.Answer, len(refs))
	var errs []error
	for i, ref := range refs {
		keys = append(keys, ref.Key)
		answers[i].Version = "2"
		if ref.Key == s.fails {
			f := sources.Fail(sources.Unavailable, "")
			f.Ref, answers[i] = ref, sources.Answer{}
			errs = append(errs, f.Diag())
		}
	}
	s.calls = append(s.calls, strings.Join(keys, " "))
	return answers, nil, errors.Join(errs...)
}

func (s *store) how() locking.Options {
	return locking.Options{Stores: func(*locking.App) sources.VersionResolver { return s }}
}

func TestApplicationsThatAskAlikeAskTogether(t *testing.T) {
	apps := place(t, "a", "b@team", "c")
	var s store
	updated, err := locking.Update(context.Background(), apps, s.how())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.calls, ", "); got != "a shared c, b shared" {
		t.Errorf("asked for %s", got)
	}
	if len(updated.Locks) != 1 || fmt.Sprint(updated.Locks[0].New().Names()) != "[ClusterSecretStore/vault a ClusterSecretStore/vault b ClusterSecretStore/vault c ClusterSecretStore/vault gone ClusterSecretStore/vault shared]" {
		t.Errorf("the lock holds %v", updated.Locks[0].New().Names())
	}
}

func TestOnlyTheKeysThatAreNamedMove(t *testing.T) {
	for _, c := range []struct{ only, calls, changes string }{
		{"shared", "shared", "[{ClusterSecretStore/vault shared version 1 version 2}]"},
		{"ClusterSecretStore/vault a", "a", "[{ClusterSecretStore/vault a  version 2}]"},
	} {
		apps := place(t, "a", "b")
		var s store
		how := s.how()
		how.Only, how.Prune = []string{c.only}, true
		updated, err := locking.Update(context.Background(), apps, how)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.calls, ", "); got != c.calls || fmt.Sprint(updated.Locks[0].Changes()) != c.changes {
			t.Errorf("%s: asked for %s, it changes %v", c.only, got, updated.Locks[0].Changes())
		}
	}
	apps := place(t, "a")
	how := new(store).how()
	how.Only = []string{"other"}
	if _, err := locking.Update(context.Background(), apps, how); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("a key that nobody reads: %v", err)
	}
}

func TestUnusedLinesAreDroppedWhereThatIsAskedFor(t *testing.T) {
	apps := place(t, "a")
	how := new(store).how()
	how.Prune = true
	updated, err := locking.Update(context.Background(), apps, how)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(updated.Locks[0].New().Names()); got != "[ClusterSecretStore/vault a ClusterSecretStore/vault shared]" {
		t.Errorf("the lock holds %s", got)
	}
}

func TestARenderBeforeAndAfterShowsWhatMoves(t *testing.T) {
	apps := place(t, "a")
	updated, err := locking.Update(context.Background(), apps, new(store).how())
	if err != nil {
		t.Fatal(err)
	}
	before, err := updated.Apps[0].Before(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	after, err := updated.Apps[0].After(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	was, is := before.Plan.Workloads[0].References[0], after.Plan.Workloads[0].References[0]
	if was.Digest == is.Digest || is.Producers[0].Sources[0].Version != "2" || was.Producers[0].Sources[0].Version != lock.Unknown {
		t.Errorf("before %+v\nafter %+v", was, is)
	}
}

func TestAFailureIsReportedWithTheObjectsThatRefer(t *testing.T) {
	apps := place(t, "a", "b")
	result, err := locking.Update(context.Background(), apps, (&store{fails: "b"}).how())
	if err != nil || result.Errs[0] != nil || len(result.Apps) != 1 || len(result.Locks[0].Changes()) != 2 {
		t.Errorf("one that does not fail: %v, %v", err, result)
	}
	err = result.Errs[1]
	if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), "ExternalSecret b: ") {
		t.Errorf("got %v", err)
	}
}

// silent answers nothing until its time is over.
type silent struct{}

func (silent) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	<-ctx.Done()
	f := sources.Fail(sources.TimedOut, "")
	f.Ref = refs[0]
	return nil, nil, f.Diag()
}

func TestAStoreThatTakesAllTheTimeIsToBlame(t *testing.T) {
	apps := place(t, "a")
	result, err := locking.Update(
		t.Context(),
		apps,
		locking.Options{Timeout: time.Millisecond, Stores: func(*locking.App) sources.VersionResolver { return silent{} }},
	)
	if err != nil {
		t.Fatal(err)
	}
	err = result.Errs[0]
	if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), "ExternalSecret a: ") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyWhatTheLockLacksIsAskedForWhereThatIsWanted(t *testing.T) {
	apps := place(t, "a", "b")
	var s store
	how := s.how()
	how.Missing = true
	updated, err := locking.Update(context.Background(), apps, how)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.calls, ", "); got != "a b" {
		t.Errorf("asked for %s", got)
	}
	want := "[{ClusterSecretStore/vault a  version 2} {ClusterSecretStore/vault b  version 2}]"
	if got := fmt.Sprint(updated.Locks[0].Changes()); got != want {
		t.Errorf("it changes %s", got)
	}
}

func TestTwoHundredApplicationsAskOnceForEachKey(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("app-%03d", i))
	}
	apps := place(t, names...)
	var s store
	if _, err := locking.Update(context.Background(), apps, s.how()); err != nil {
		t.Fatal(err)
	}
	if len(s.calls) != 1 {
		t.Fatalf("the stores were asked %d times", len(s.calls))
	}
	seen := map[string]int{}
	for _, key := range strings.Fields(s.calls[0]) {
		seen[key]++
	}
	for key, n := range seen {
		if n != 1 {
			t.Errorf("%s was asked for %d times", key, n)
		}
	}
	if len(seen) != 201 { // one of each, and one that they share
		t.Errorf("asked for %d keys", len(seen))
	}
}

// down fails for its first reference, and is not asked for the others.
type down struct{}

func (down) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	failed, left := sources.Fail(sources.Unavailable, ""), sources.Fail(sources.GivenUp, "nor 5 more of this store")
	failed.Ref, left.Ref = refs[0], refs[2] // of a and b
	return make([]sources.Answer, len(refs)), nil, errors.Join(failed.Diag(), left.Diag())
}

func TestAStoreThatWasGivenUpIsReportedOnceForEachApplicationThatReadsIt(t *testing.T) {
	apps := place(t, "a", "b", "c")
	stores := func(*locking.App) sources.VersionResolver { return down{} }
	result, err := locking.Update(t.Context(), apps, locking.Options{Stores: stores})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"ClusterSecretStore/vault a: store not available", "", "c: not asked any more after failures of this store"} {
		got := result.Errs[i].Error()
		if !strings.Contains(got, want) || i == 2 && (strings.Contains(got, "\n") || strings.Contains(got, "vault a") || !strings.Contains(got, "ExternalSecret c: ")) {
			t.Errorf("%d: %v", i, result.Errs[i])
		}
	}
}
