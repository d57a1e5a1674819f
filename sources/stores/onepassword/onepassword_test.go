package onepassword

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

const (
	canary       = "canary-8d1f"
	one, two     = "aaaaaaaaaaaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaaaaaaaaaa2"
	elder, later = "bbbbbbbbbbbbbbbbbbbbbbbbb1", "bbbbbbbbbbbbbbbbbbbbbbbbb2"
)

// connect answers as a Connect server does.
type connect struct {
	asked  []string
	status int                         // of every answer, where it is none
	items  map[string][]map[string]any // by the id of their vault
}

func (c *connect) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked = append(c.asked, r.URL.Path)
	switch {
	case r.Header.Get("Authorization") != "Bearer "+canary:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case c.status != 0:
		w.WriteHeader(c.status)
		_, _ = w.Write([]byte(canary))
		return
	case r.URL.Path == "/v1/vaults":
		_ = json.NewEncoder(w).Encode([]map[string]any{
			{"id": two, "name": "shop", "createdAt": "2026-02-01T00:00:00Z"}, {"id": one, "name": "base", "createdAt": "2026-01-01T00:00:00Z"},
			{"id": later, "name": "twice", "createdAt": "2026-02-01T00:00:00Z"}, {"id": elder, "name": "twice", "createdAt": "2026-01-01T00:00:00Z"},
		})
		return
	}
	vault := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v1/vaults/"), "/items")
	title, filtered := strings.CutPrefix(r.URL.Query().Get("filter"), "title eq ")
	out := []map[string]any{}
	for _, i := range c.items[vault] {
		if !filtered || strings.EqualFold(title, `"`+i["title"].(string)+`"`) {
			out = append(out, i)
		}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func listed(id, title string, version any, tags ...string) map[string]any {
	return map[string]any{"id": id, "title": title, "version": version, "tags": tags, "createdAt": "2026-01-0" + id[25:] + "T00:00:00Z"}
}

func start(t *testing.T) (*connect, *Store) {
	t.Helper()
	c := &connect{items: map[string][]map[string]any{
		one:   {listed(one, "db", 3, "team"), listed(two, "twice", 4), listed(elder, "twice", 5), listed(later, "none", "x")},
		two:   {listed(one, "api", 7, "team"), listed(two, "db", 8), listed(elder, "zero", 0)},
		elder: {listed(one, "db", 1)}, later: {listed(one, "db", 2)},
	}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	client, err := stores.Client("")
	if err != nil {
		t.Fatal(err)
	}
	return c, New(Options{Host: s.URL + "/", Vaults: []string{"base", two}, Token: func() (string, error) { return canary, nil }, HTTP: client})
}

func class(err error) sources.Class {
	var f *sources.Failure
	if !errors.As(err, &f) {
		return ""
	}
	return f.Class
}

func TestAnItemIsFoundAsExternalSecretsFindsIt(t *testing.T) {
	c, s := start(t)
	c.items[one] = c.items[one][:3]
	c.items[two] = append(c.items[two], listed(later, "0f8fad5b-d9cb-469f-a165-70867728950e", 2))
	for key, want := range map[string]struct {
		version string
		class   sources.Class
	}{
		"db": {version: "3"}, "api": {version: "7"}, "DB": {class: sources.NotFound}, "twice": {class: sources.Refused},
		"zero": {class: sources.Malformed}, "none": {class: sources.NotFound}, `a" or title eq "db`: {class: sources.Refused},
		"0f8fad5b-d9cb-469f-a165-70867728950e": {class: sources.NotFound}, // an id is looked for in the first vault only
	} {
		got, err := s.Version(t.Context(), sources.Ref{Key: key, Property: "password"})
		if got.Version != want.version || class(err) != want.class {
			t.Errorf("%s: got %q, %v", key, got.Version, err)
		}
	}
	if _, err := s.Version(t.Context(), sources.Ref{Key: "db", Version: "2"}); class(err) != sources.Refused {
		t.Errorf("a version: %v", err)
	}
	for _, path := range c.asked {
		if path != "/v1/vaults" && !strings.HasSuffix(path, "/items") {
			t.Errorf("asked for %s, which holds values", path)
		}
	}
	if n := len(slices.DeleteFunc(c.asked, func(p string) bool { return p != "/v1/vaults" })); n != 1 {
		t.Errorf("the vaults were listed %d times", n)
	}
}

func TestAnItemIsFoundAsItsOperatorFindsIt(t *testing.T) {
	c, s := start(t)
	c.items[one] = c.items[one][:3]
	for path, want := range map[string]string{
		"vaults/base/items/db": "3", "vaults/base/items/twice": "5", "vaults/" + two + "/items/" + one: "7", "vaults/twice/items/db": "1",
	} {
		got, err := s.Version(t.Context(), sources.Ref{Store: sources.Store{Kind: sources.OnePassword}, Key: path})
		if err != nil || got.Version != want {
			t.Errorf("%s: got %q, %v", path, got.Version, err)
		}
	}
	for path, want := range map[string]sources.Class{
		"db": sources.Refused, "vaults/none/items/db": sources.NotFound, "vaults/base/items/none": sources.NotFound,
	} {
		if _, err := s.Version(t.Context(), sources.Ref{Store: sources.Store{Kind: sources.OnePassword}, Key: path}); class(
			err,
		) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestASearchIsTheSetOfTheItemsThatItLooksInto(t *testing.T) {
	c, s := start(t)
	c.items[one] = c.items[one][:1]
	c.items[two] = c.items[two][:2]
	ask := func(f *sources.Find) string {
		t.Helper()
		got, err := s.Version(t.Context(), sources.Ref{Find: f})
		if err != nil {
			t.Fatal(err)
		}
		return got.Version
	}
	set := func(items ...sources.Item) string { return sources.SetVersion(items) }
	db, api, other := sources.Item{Name: one + "/" + one, Version: "3"}, sources.Item{Name: two + "/" + one, Version: "7"}, sources.Item{Name: two + "/" + two, Version: "8"}
	if got := ask(&sources.Find{Name: "^pass"}); got != set(db, api, other) {
		t.Errorf("a name: %s", got)
	}
	if got := ask(&sources.Find{Path: "db"}); got != set(db, other) {
		t.Errorf("a path: %s", got)
	}
	if got := ask(&sources.Find{Path: "api", Tags: map[string]string{"team": ""}}); got != set(db) {
		t.Errorf("tags, which count before the path, and in the first vault: %s", got)
	}
	if got := ask(&sources.Find{Path: "none"}); got != set() {
		t.Errorf("nothing: %s", got)
	}
	if _, err := s.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "("}}); class(err) != sources.Refused {
		t.Errorf("no expression: %v", err)
	}
}

func TestWhatAServerRefusesIsSaidInOurWords(t *testing.T) {
	for status, want := range map[int]sources.Class{
		400: sources.Refused, 401: sources.NoLogin, 403: sources.NoPermit, 404: sources.NotFound, 429: sources.Throttled,
		500: sources.Unavailable,
		302: sources.Redirected, 204: sources.Malformed,
	} {
		c, s := start(t)
		c.status = status
		if _, err := s.Version(t.Context(), sources.Ref{Key: "db"}); class(err) != want || strings.Contains(err.Error(), canary) {
			t.Errorf("%d: %v", status, err)
		}
	}
	_, s := start(t)
	s.Token = func() (string, error) { return "wrong", nil }
	if _, err := s.Version(t.Context(), sources.Ref{Key: "db"}); class(err) != sources.NoLogin {
		t.Errorf("another token: %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	s.Host = slow.URL
	client := *s.HTTP
	client.Timeout = 20 * time.Millisecond
	s.HTTP = &client
	if _, err := s.Version(t.Context(), sources.Ref{Key: "db"}); class(err) != sources.TimedOut {
		t.Errorf("a slow server: %v", err)
	}
}

func TestVaultsAreInTheOrderOfTheirNumbers(t *testing.T) {
	got, err := vaultsOf(map[string]string{"vaults.b": "1", "vaults.a": "10", "vaults.x.y": "2", "connectHost": "h"})
	if err != nil || !slices.Equal(got, []string{"b", "x.y", "a"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := vaultsOf(map[string]string{"vaults.a": "first"}); class(err) != sources.Refused {
		t.Errorf("no number: %v", err)
	}
}
