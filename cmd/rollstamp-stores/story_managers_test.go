package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const connectVault = "abcdefghijklmnopqrstuvwx12"

// connectItem is an item as a Connect server lists it, and as it shows it with its values.
func connectItem(name string, k shelved) map[string]any {
	id := hex.EncodeToString([]byte(name))
	tags := []string{}
	if strings.HasPrefix(name, "team") {
		tags = append(tags, "team")
	}
	return map[string]any{"id": id + strings.Repeat("a", max(0, 26-len(id))), "title": name, "version": k.newest, "tags": tags,
		"vault": map[string]any{"id": connectVault}, "category": "LOGIN", "createdAt": "2026-01-01T00:00:00Z"}
}

var titleFilter = regexp.MustCompile(`^title eq "([^"]*)"$`)

// connectAt is a 1Password Connect server that is never asked for an item itself, which has values in it.
func connectAt(t *testing.T, s *shelf) place {
	at := place{env: []string{"OP_CONNECT_TOKEN=" + s.canary}}
	at.url, at.ca = overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		filter, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil || r.Header.Get("Authorization") != "Bearer "+s.canary {
			t.Errorf("asked for %s", r.URL)
		}
		operation := "list items"
		var answer any
		switch title := titleFilter.FindStringSubmatch(strings.TrimPrefix(filter, "filter=")); {
		case r.URL.Path == "/v1/vaults" && filter == "":
			operation = "list vaults"
			answer = []any{map[string]any{"id": connectVault, "name": "shop"}, map[string]any{"id": strings.Repeat("b", 26), "name": "other"}}
		case r.URL.Path == "/v1/vaults/"+connectVault+"/items" && (title != nil || filter == ""):
			items := []any{}
			for _, name := range s.names() {
				if k, _ := s.get(name); title == nil || title[1] == name {
					items = append(items, connectItem(name, k))
				}
			}
			answer = items
		case r.URL.Path == "/v1/vaults/"+strings.Repeat("b", 26)+"/items" && title != nil:
			answer = []any{}
		default:
			t.Errorf("asked for %s", r.URL)
		}
		if reply(w, s.enter(operation), s.canary) {
			if err := json.NewEncoder(w).Encode(answer); err != nil {
				t.Error(err)
			}
		}
	}))
	return at
}

// reply answers where a request comes to nothing, and reports whether it is served.
func reply(w http.ResponseWriter, enter int, canary string) bool {
	switch enter {
	case tooMany:
		w.WriteHeader(http.StatusTooManyRequests)
	case noRight:
		w.WriteHeader(http.StatusForbidden)
	default:
		return true
	}
	fmt.Fprintf(w, `{"status":403,"message":%q}`, canary)
	return false
}

// bitwardenID is the id of a secret of a name.
func bitwardenID(name string) string {
	sum := sha256.Sum256([]byte(name))
	x := hex.EncodeToString(sum[:16])
	return strings.Join([]string{x[:8], x[8:12], x[12:16], x[16:20], x[20:]}, "-")
}

func bitwardenVersion(_ string, n int) string { return fmt.Sprintf("2026-01-01T00:00:00.%03dZ", n) }

// bitwardenAt is the server in front of Bitwarden's SDK, which has no answer without a value.
func bitwardenAt(t *testing.T, s *shelf) place {
	at := place{env: []string{"BWS_ACCESS_TOKEN=" + s.canary}}
	at.url, at.ca = overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ ID, OrganizationID string }
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if err != nil || r.Header.Get("Warden-Access-Token") != s.canary ||
			r.Header.Get("Warden-Identity-Url") != "https://identity.bitwarden.com" {
			t.Errorf("asked for %s with %v: %v", r.URL, r.Header, err)
		}
		operation := strings.TrimPrefix(r.URL.Path, "/rest/api/1/")
		switch enter := s.enter(operation); {
		case enter == noRight:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "failed to get secret: API error: Received error message from server: [403 Forbidden] %s", s.canary)
			return
		case enter == tooMany:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "failed to login to bitwarden using access token: [429 Too Many Requests] %s", s.canary)
			return
		}
		list := []any{}
		for _, name := range s.names() {
			k, _ := s.get(name)
			if body.ID == bitwardenID(name) {
				_ = json.NewEncoder(w).Encode(map[string]any{"id": body.ID, "key": name, "value": s.canary, "note": s.canary,
					"projectId": "p", "revisionDate": bitwardenVersion(name, k.newest)})
				return
			}
			list = append(list, map[string]any{"id": bitwardenID(name), "key": name, "organizationId": "o"})
		}
		if operation == "secrets" && body.OrganizationID == "o" {
			_ = json.NewEncoder(w).Encode(map[string]any{"data": list})
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "failed to get secret: API error: Received error message from server: [404 Not Found] {%q}", s.canary)
	}))
	return at
}

// A provider that can be asked is not, as long as the configuration says that its manifests count: an upgrade moves no
// stamp.
func TestAnEntryForAProviderThatCanBeAskedAsksNobody(t *testing.T) {
	s := stories["onepassword"]
	a := begin(t, built(t), s, s.externals)
	for _, name := range []string{"db", "api", "team-a"} {
		a.shelf.put(name)
	}
	a.write(filepath.Join(a.dir, "app/.rollstamp.yaml"), "secrets: {policy: lock, stores: [{match: {provider: onepassword}, policy: spec}]}\n")
	if out := a.run(0, "lock", "app"); out != "" {
		t.Errorf("locked: %s", out)
	}
	before := a.run(0, "render", "app")
	if live := a.run(0, "render", "app", "--secrets", "live"); live != before || before != a.run(0, "render", "app", "--secrets", "spec") {
		t.Errorf("live:\n%s\nlocked:\n%s", live, before)
	}
	if asked, n := a.shelf.requests(); n > 0 {
		t.Errorf("asked for %q", asked)
	}
	a.write(filepath.Join(a.dir, "app/.rollstamp.yaml"), "secrets: {policy: lock}\n")
	if out := a.run(0, "lock", "app"); strings.Count(out, ": + ") < 3 {
		t.Errorf("without the entry: %s", out)
	}
}

const itemOfOnePassword = `apiVersion: onepassword.com/v1
kind: OnePasswordItem
metadata: {name: db, namespace: shop}
spec: {itemPath: vaults/shop/items/db}
---
`

// What 1Password's own operator fetches is asked of the same server, where the user wants that.
func TestAOnePasswordItemIsLockedWhereThatIsWanted(t *testing.T) {
	s := story{serve: connectAt, version: number,
		rule: "- match: {kind: OnePassword}\n  fields: {connectHost: $URL}\n  caFile: $CA\n"}
	a := begin(t, built(t), s, func(*strings.Replacer) string {
		return itemOfOnePassword + strings.ReplaceAll(workload, "NAME", "db")
	})
	a.shelf.put("db")
	if out := a.run(0, "lock", "app"); out != "" {
		t.Errorf("unasked: %s", out)
	}
	a.write(filepath.Join(a.dir, "app/.rollstamp.yaml"), "secrets: {ask: [OnePasswordItem], policy: lock}\n")
	if out := a.run(0, "lock", "app"); out != "app/rollstamp.lock: + OnePassword/default vaults/shop/items/db version 1\n" {
		t.Errorf("got %s", out)
	}
	before := a.run(0, "render", "app")
	a.shelf.put("db")
	if out := a.run(1, "lock", "app", "--check"); !strings.HasSuffix(out, "version 1 -> version 2\nrestarts Deployment shop/reads-db of app\n") {
		t.Errorf("got %s", out)
	}
	a.run(0, "lock", "app")
	if after := a.run(0, "render", "app"); after == before || strings.Count(after, "checksum.rollstamp.dev/secret.db") != 1 {
		t.Errorf("after a rotation:\n%s", after)
	}
}
