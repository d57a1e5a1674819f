package lock_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// stores answers for the keys that it has no failure of.
type stores map[string]sources.Class

func (s stores) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers := make([]sources.Answer, len(refs))
	var errs []error
	for i, ref := range refs {
		class, fails := s[ref.Key]
		if !fails {
			answers[i].Version = "new"
			continue
		}
		if class == "" {
			continue // another failure stands for it
		}
		f := sources.Fail(class, "")
		f.Ref = ref
		errs = append(errs, f.Diag())
	}
	return answers, nil, errors.Join(errs...)
}

func TestWhatAStoreDoesNotSayIsTakenFromTheLock(t *testing.T) {
	refs := []sources.Ref{ref("a", "", ""), ref("b", "", ""), ref("c", "", "")}
	for what, c := range map[string]struct {
		fails stores
		want  string // versions; "" for an error
		found int
	}{
		"all answer":                            {nil, "new new new", 0},
		"one is not there":                      {stores{"a": sources.Unavailable}, "old-a new new", 1},
		"a failure stands for others":           {stores{"a": sources.Unavailable, "b": ""}, "old-a old-b new", 2},
		"the lock lacks it":                     {stores{"c": sources.Unavailable}, "", 0},
		"the lock lacks what a failure implies": {stores{"a": sources.Unavailable, "c": ""}, "", 0},
		"there are no credentials":              {stores{"a": sources.NoIdentity, "b": ""}, "old-a old-b new", 2},
		"we ask wrongly":                        {stores{"a": sources.Unavailable, "b": sources.Unlisted}, "", 0},
	} {
		t.Run(what, func(t *testing.T) {
			top := repository(t, "schema 3\nClusterSecretStore/vault a version old-a\nClusterSecretStore/vault b version old-b\n")
			known := lock.LastKnown{Stores: c.fails, Place: config.Place{Dir: top, Root: top}}
			answers, found, err := known.Resolve(context.Background(), refs)
			var got []string
			for _, a := range answers {
				got = append(got, a.Version)
			}
			if (err != nil) != (c.want == "") || err == nil && strings.Join(got, " ") != c.want {
				t.Errorf("got %q, %v", got, err)
			}
			if c.fails["a"] == sources.NoIdentity && slices.ContainsFunc(found, func(f diag.Finding) bool { return !strings.Contains(f.Message, string(sources.NoIdentity)) }) {
				t.Errorf("another reason is reported: %v", found)
			}
			if len(found) != c.found ||
				slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Code != diag.LastKnown || f.Line == 0 }) {
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestALockThatIsNotThereOrBrokenLeavesTheStoresErrorStanding(t *testing.T) {
	top := repository(t, "schema 3\n")
	dir, err := config.Locate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []config.Place{dir, {Dir: top, Root: top}} {
		known := lock.LastKnown{Stores: stores{"a": sources.Unavailable}, Place: place}
		_, _, err := known.Resolve(context.Background(), []sources.Ref{ref("a", "", "")})
		if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), string(sources.Unavailable)) {
			t.Errorf("got %v", err)
		}
	}
	top = repository(t, "<<<<<<<\n")
	known := lock.LastKnown{Stores: stores{"a": sources.Unavailable}, Place: config.Place{Dir: top, Root: top}}
	if _, _, err := known.Resolve(context.Background(), []sources.Ref{ref("a", "", "")}); !errors.Is(err, lock.ErrConflict) || !strings.Contains(err.Error(), string(sources.Unavailable)) {
		t.Errorf("got %v", err)
	}
}

// TestADigestOfAnotherHashKeyStandsForNoStoreThatIsAsked: it would move the stamp, though the value is the same.
func TestADigestOfAnotherHashKeyStandsForNoStoreThatIsAsked(t *testing.T) {
	place := config.Place{Root: repository(t, "schema 3\nClusterSecretStore/vault a value "+digest+" "+key+"\n")}
	place.Dir = place.Root
	for with, want := range map[string]bool{key: true, "": true, strings.Repeat("0", len(key)): false} {
		known := lock.LastKnown{Stores: stores{"a": sources.Unavailable}, Place: place, Key: with}
		answers, _, err := known.Resolve(context.Background(), []sources.Ref{ref("a", "", "")})
		if want && (err != nil || answers[0].Digest != digest) ||
			!want &&
				(err == nil || !strings.Contains(err.Error(), string(sources.OtherKey)) || !strings.Contains(err.Error(),
					string(sources.Unavailable))) {
			t.Errorf("%q: %v, %v", with, answers, err)
		}
		// From the lock alone it stands for the value whatever the key is; the difference is reported.
		force := lock.InForce{Place: place, Key: with}
		answers, found, err := force.Resolve(context.Background(), []sources.Ref{ref("a", "", "")})
		if _, again, err := force.Resolve(context.Background(), []sources.Ref{ref("a", "", "")}); err != nil || len(again) != len(found) {
			t.Errorf("%q: asked once more, it reports %v, %v", with, again, err)
		}
		if err != nil || answers[0].Digest != digest || want != (len(found) == 0) ||
			!want && (found[0].Code != diag.OtherHashKey || found[0].Line != 2) {
			t.Errorf("%q: %v, %v, %v", with, answers, err, found)
		}
	}
}

func TestTheLockInForceIsTheNearest(t *testing.T) {
	top := repository(t, "schema 3\nClusterSecretStore/vault a version 7\n")
	for _, dir := range []string{"a", "own"} {
		answers, _, err := (lock.InForce{Place: config.Place{Dir: top + "/" + dir, Root: top}}).Resolve(context.Background(), []sources.Ref{ref("a", "", "")})
		if err != nil || answers[0].Version != "7" {
			t.Errorf("%s: %v, %v", dir, answers, err)
		}
	}
	place, err := config.Locate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = (lock.InForce{Place: place}).Resolve(context.Background(), []sources.Ref{ref("a", "", "")})
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(diag.HintOf(err), "rollstamp lock") {
		t.Errorf("where there is none: %v", err)
	}
}
