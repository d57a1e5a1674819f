package azure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-2b8e"

// identity is one that nobody has.
type identity struct{ err error }

func (i identity) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: canary, ExpiresOn: time.Now().Add(time.Hour)}, i.err
}

// keyVault answers in Key Vault's protocol: a challenge first, then lists in pages.
type keyVault struct {
	mu      sync.Mutex
	url     string
	asked   []string
	secrets map[string][]map[string]any // versions, in any order
	keys    []map[string]any            // versions of the key db
	status  int                         // of an error

	challenge string // to who comes without a token; "" is that of Azure
}

func (k *keyVault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.Header.Get("Authorization") == "" {
		w.Header().Set("WWW-Authenticate", cmp.Or(k.challenge, `Bearer authorization="https://login.microsoftonline.com/t", resource="https://vault.azure.net"`))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	k.asked = append(k.asked, r.URL.Path)
	if k.status != 0 {
		w.WriteHeader(k.status)
		fmt.Fprintf(w, `{"error":{"code":"%s","message":"%s"}}`, canary, canary)
		return
	}
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/secrets/"), "/versions")
	var all []map[string]any
	if r.URL.Path == "/secrets" {
		for _, name := range slices.Sorted(maps.Keys(k.secrets)) {
			all = append(all, map[string]any{"id": k.url + "/secrets/" + name, "attributes": map[string]any{"enabled": name != "off"}, "tags": map[string]string{"name": name}})
		}
	} else if r.URL.Path == "/keys/db/versions" {
		all = k.keys
	} else if all = k.secrets[name]; all == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"error":{"code":"SecretNotFound","message":"%s"}}`, canary)
		return
	}
	page := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	out := map[string]any{"value": all[min(page, len(all)):min(page+1, len(all))]}
	if page+1 < len(all) {
		out["nextLink"] = fmt.Sprintf("%s%s?api-version=7.6&page=%d", k.url, r.URL.Path, page+1)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (k *keyVault) add(name, version string, created int64, enabled bool) {
	if k.secrets == nil {
		k.secrets = map[string][]map[string]any{}
	}
	k.secrets[name] = append(k.secrets[name], map[string]any{
		"id": k.url + "/secrets/" + name + "/" + version, "kid": k.url + "/keys/" + name + "/" + version, "attributes": map[string]any{"created": created, "updated": 2e9, "enabled": enabled},
	})
}

func start(t *testing.T, who azcore.TokenCredential) (*keyVault, *Store) {
	t.Helper()
	k := &keyVault{}
	s := httptest.NewTLSServer(k)
	t.Cleanup(s.Close)
	k.url = s.URL
	c, err := New(Options{URL: s.URL + "/", Identity: who, HTTP: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return k, c
}

func failed(t *testing.T, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTheVersionIsTheOneThatWasCreatedLast(t *testing.T) {
	k, c := start(t, identity{})
	k.add("db", "v2", 1700000200, true)
	k.add("db", "v1", 1700000100, false)
	k.add("db", "v3", 1700000300, true)
	k.add("db", "k1", 1700000100, true)
	k.add("db", "k2", 1700000100, true) // of keys, in the same second
	k.keys, k.secrets["db"] = k.secrets["db"][3:], k.secrets["db"][:3]
	if got, err := c.Version(t.Context(), sources.Ref{Key: "key/db"}); err != nil || got.Version != "k2" || !slices.Equal(slices.Compact(k.asked), []string{"/keys/db/versions"}) {
		t.Errorf("got %+v, %v; asked for %v", got, err, k.asked)
	}
	k.asked = nil
	for _, key := range []string{"db", "secret/db", "cert/db"} {
		got, err := c.Version(t.Context(), sources.Ref{Key: key})
		if err != nil || got.Version != "v3" {
			t.Errorf("%s: got %+v, %v", key, got, err)
		}
	}
	for _, path := range k.asked {
		if path != "/secrets/db/versions" {
			t.Errorf("asked for %s", path)
		}
	}
}

func TestASecretThatCannotBeReadIsAnErrorOfItsOwn(t *testing.T) {
	k, c := start(t, identity{})
	k.add("off", "v2", 2, false)
	k.add("off", "v1", 1, true) // nobody gets it who asks for the newest
	_, err := c.Version(t.Context(), sources.Ref{Key: "off"})
	failed(t, err, sources.Disabled)
	_, err = c.Version(t.Context(), sources.Ref{Key: "none"})
	failed(t, err, sources.NotFound)
	before := len(k.asked)
	for _, key := range []string{"a/b/c", "other/db", "../x", "", "a b", "key/", "key/a/b"} {
		_, err = c.Version(t.Context(), sources.Ref{Key: key})
		failed(t, err, sources.Refused)
	}
	if len(k.asked) != before {
		t.Errorf("asked for %v", k.asked[before:])
	}
	for status, want := range map[int]sources.Class{401: sources.NoLogin, 403: sources.NoPermit,
		429: sources.Throttled, 500: sources.Unavailable, 503: sources.Unavailable} {
		k.status = status
		before := len(k.asked)
		_, err = c.Version(t.Context(), sources.Ref{Key: "off"})
		failed(t, err, want)
		if n := len(k.asked) - before; n > 2 {
			t.Errorf("%d: %d requests; asking again is the resolver's", status, n)
		}
	}
}

func TestASearchTakesWhatIsEnabled(t *testing.T) {
	k, c := start(t, identity{})
	k.add("a-db", "v1", 1, true)
	k.add("b-db", "v2", 2, true)
	k.add("off", "v1", 1, true)
	k.add("web", "v1", 1, true)
	for _, f := range []struct {
		find sources.Find
		want []sources.Item
	}{
		{sources.Find{Name: "-db$"}, []sources.Item{{Name: "a-db", Version: "v1"}, {Name: "b-db", Version: "v2"}}},
		{sources.Find{Name: "off"}, nil}, {sources.Find{Tags: map[string]string{"name": "web"}}, []sources.Item{{Name: "web", Version: "v1"}}},
	} {
		got, err := c.Version(t.Context(), sources.Ref{Find: &f.find})
		if err != nil || got.Version != sources.SetVersion(f.want) {
			t.Errorf("%+v: got %+v, %v", f.find, got, err)
		}
	}
}

func TestNoTokenGoesOutForAnotherServiceThanKeyVault(t *testing.T) {
	for challenge, want := range map[string]sources.Class{
		`Bearer authorization="https://login.microsoftonline.com/t", resource="https://management.azure.com"`:                 sources.Refused,
		`Bearer authorization="https://login.microsoftonline.com/t", scope="https://vault.azure.net.` + canary + `/.default"`: sources.Refused,
		`Bearer authorization="` + canary + `", resource="https://vault.azure.net"`:                                           sources.Malformed,
		canary: sources.NoLogin,
	} {
		k, c := start(t, identity{})
		k.add("db", "v1", 1, true)
		k.challenge = challenge
		_, err := c.Version(t.Context(), sources.Ref{Key: "db"})
		failed(t, err, want)
		if len(k.asked) > 0 {
			t.Errorf("%s: asked for %v with a token", challenge, k.asked)
		}
	}
}

func TestAMachineWithoutAnIdentityIsReported(t *testing.T) {
	for _, name := range []string{"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "MSI_ENDPOINT", "PATH"} {
		t.Setenv(name, "")
	}
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential") // asks nobody on the network of the machine
	own, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		t.Fatal(err)
	}
	k, c := start(t, own)
	k.add("db", "v1", 1, true)
	_, err = c.Version(t.Context(), sources.Ref{Key: "db"})
	failed(t, err, sources.NoIdentity)
	if len(k.asked) > 0 {
		t.Errorf("asked for %v", k.asked)
	}
}

func TestAnIdentityThatIsNotThereIsReported(t *testing.T) {
	k, c := start(t, identity{err: errors.New(canary)})
	k.add("db", "v1", 1, true)
	_, err := c.Version(t.Context(), sources.Ref{Key: "db"})
	if err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("got %v", err)
	}
	if len(k.asked) > 0 {
		t.Errorf("asked for %v", k.asked)
	}
}
