package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// azureStory is a Key Vault and the login for it, on one server: a challenge to whoever comes without a token, and
// lists in pages.
type azureStory struct {
	*shelf
	url       string
	federated bool // who logs in has a token of a cluster, not a secret
}

const (
	azureTenant = "72f988bf-0000-41af-91ab-2d7cd011db47"
	azureClient = "11111111-2222-3333-4444-555555555555"
)

// ServeHTTP is http.Handler's.
func (a *azureStory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	login, own := strings.CutPrefix(r.URL.Path, "/"+azureTenant+"/")
	switch {
	case own && login == "v2.0/.well-known/openid-configuration":
		at := a.url + "/" + azureTenant
		a.say(w, map[string]any{"authorization_endpoint": at + "/oauth2/v2.0/authorize", "token_endpoint": at + "/oauth2/v2.0/token", "issuer": at + "/v2.0"})
	case own && login == "oauth2/v2.0/token":
		a.login(w, r)
	case r.Header.Get("Authorization") == "":
		w.Header().Set("WWW-Authenticate", `Bearer authorization="`+a.url+"/"+azureTenant+`", resource="https://vault.azure.net"`)
		w.WriteHeader(http.StatusUnauthorized)
	case r.Header.Get("Authorization") != "Bearer "+a.canary || r.Method != http.MethodGet || r.URL.Query().Get("api-version") == "":
		a.t.Errorf("asked for %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusForbidden)
	default:
		a.list(w, r)
	}
}

// login takes the secret of a service principal, or the token of a workload identity.
func (a *azureStory) login(w http.ResponseWriter, r *http.Request) {
	proof := "client_secret"
	if a.federated {
		proof = "client_assertion"
	}
	for field, want := range map[string]string{"client_id": azureClient, proof: a.canary, "grant_type": "client_credentials"} {
		if got := r.FormValue(field); got != want {
			a.t.Errorf("login with %s %q", field, got)
		}
	}
	if scope := r.FormValue("scope"); !strings.HasPrefix(scope, "https://vault.azure.net/.default") {
		a.t.Errorf("a token for %q", scope)
	}
	a.say(w, map[string]any{"access_token": a.canary, "expires_in": 3600, "token_type": "Bearer"})
}

func (a *azureStory) list(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // secrets, or secrets/NAME/versions
	operation := "list of " + parts[0]
	if len(parts) == 3 {
		operation = "versions of " + parts[0]
	}
	switch a.enter(operation) {
	case tooMany:
		a.refuse(w, http.StatusTooManyRequests, "Throttled")
		return
	case noRight:
		a.refuse(w, http.StatusForbidden, "Forbidden")
		return
	}
	var all []any
	switch {
	case slices.Equal(parts, []string{"secrets"}):
		for _, name := range a.names() {
			all = append(all, map[string]any{"id": a.url + "/secrets/" + name, "attributes": map[string]any{"enabled": true}})
		}
	case len(parts) == 3 && (parts[0] == "secrets" || parts[0] == "keys") && parts[2] == "versions":
		k, ok := a.get(parts[1])
		if !ok {
			a.refuse(w, http.StatusNotFound, "SecretNotFound")
			return
		}
		for n := 1; n <= k.newest; n++ { // Azure promises no order
			id := fmt.Sprintf("%s/%s/%s/%s", a.url, parts[0], parts[1], azureVersion(parts[1], n))
			all = append(all, map[string]any{"id": id, "kid": id, "attributes": map[string]any{"enabled": !slices.Contains(k.off, n), "created": 1.7e9 + float64(n)}})
		}
	default:
		a.t.Errorf("asked for %s", r.URL) // a value would be below its version
		w.WriteHeader(http.StatusForbidden)
		return
	}
	page := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	out := map[string]any{"value": all[min(page, len(all)):min(page+1, len(all))]}
	if page+1 < len(all) {
		out["nextLink"] = fmt.Sprintf("%s%s?api-version=7.6&page=%d", a.url, r.URL.Path, page+1)
	}
	a.say(w, out)
}

func (a *azureStory) refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	a.say(w, map[string]any{"error": map[string]any{"code": code, "message": a.canary}})
}

func (a *azureStory) say(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		a.t.Error(err)
	}
}

func azureVersion(name string, n int) string { return fmt.Sprintf("%032x", n*1000+len(name)) }

func azureAt(federated bool) func(*testing.T, *shelf) place {
	return func(t *testing.T, s *shelf) place {
		a := &azureStory{shelf: s, federated: federated}
		at := place{}
		at.url, at.ca = overTLS(t, a)
		a.url = at.url
		at.env = []string{"AZURE_TENANT_ID=" + azureTenant, "AZURE_CLIENT_ID=" + azureClient, "AZURE_AUTHORITY_HOST=" + at.url}
		if federated {
			at.env = append(at.env, "AZURE_FEDERATED_TOKEN_FILE=$DIR/federated")
			at.files = map[string]string{"federated": s.canary}
		} else {
			at.env = append(at.env, "AZURE_CLIENT_SECRET="+s.canary)
		}
		return at
	}
}
