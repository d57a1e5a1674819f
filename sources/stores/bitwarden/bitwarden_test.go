package bitwarden

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

const (
	canary = "canary-3c9b"
	dbID   = "0f8fad5b-d9cb-469f-a165-70867728950e"
	apiID  = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	oldID  = "16fd2706-8baf-433b-82eb-8c7fada847da"
)

// sdk is the server in front of Bitwarden's SDK.
type sdk struct {
	asked   []string
	secrets map[string]map[string]any
	status  int // of every answer, where it is none
	text    string
}

func (s *sdk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ ID, OrganizationID string }
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.asked = append(s.asked, strings.TrimPrefix(r.URL.Path, "/rest/api/1/")+" "+body.ID+body.OrganizationID)
	switch {
	case r.Header.Get("Warden-Access-Token") != canary:
		w.WriteHeader(http.StatusUnauthorized)
	case s.status != 0:
		w.WriteHeader(s.status)
		_, _ = w.Write([]byte(s.text))
	case r.URL.Path == "/rest/api/1/secrets":
		list := []map[string]any{}
		for _, id := range []string{dbID, apiID, oldID} {
			if s.secrets[id] != nil {
				list = append(list, map[string]any{"id": id, "key": s.secrets[id]["key"]})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": list})
	default:
		_ = json.NewEncoder(w).Encode(s.secrets[body.ID])
	}
}

func secret(id, key, project, revised string) map[string]any {
	return map[string]any{"id": id, "key": key, "projectId": project, "revisionDate": revised, "value": canary, "note": canary}
}

func start(t *testing.T) (*sdk, *Store) {
	t.Helper()
	b := &sdk{secrets: map[string]map[string]any{
		dbID: secret(dbID, "db", "p", "2026-01-02T03:04:05.6789+01:00"), apiID: secret(apiID, "api", "p", "2026-01-02T03:04:05Z"),
		oldID: secret(oldID, "db", "other", "2025-01-02T03:04:05Z"),
	}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	client, err := stores.Client("")
	if err != nil {
		t.Fatal(err)
	}
	return b, New(Options{Server: server.URL + "/", Organization: "o", Project: "p", Token: func() (string, error) { return canary, nil }, HTTP: client})
}

func class(err error) sources.Class {
	var f *sources.Failure
	if !errors.As(err, &f) {
		return ""
	}
	return f.Class
}

func TestTheVersionIsTheDateOfTheRevision(t *testing.T) {
	b, s := start(t)
	for key, want := range map[string]string{
		dbID: "2026-01-02T02:04:05.6789Z", "db": "2026-01-02T02:04:05.6789Z", "api": "2026-01-02T03:04:05Z", oldID: "2025-01-02T03:04:05Z",
	} {
		got, err := s.Version(t.Context(), sources.Ref{Key: key, Property: "ignored", Version: "ignored"})
		if err != nil || got.Version != want || len(got.Value.Reveal()) > 0 {
			t.Errorf("%s: got %+v, %v", key, got, err)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(b.asked), func(a string) bool { return a != "secrets o" })); n != 1 {
		t.Errorf("the secrets were listed %d times: %v", n, b.asked)
	}
	got, err := s.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "anything"}})
	want := sources.SetVersion([]sources.Item{{Name: dbID, Version: "2026-01-02T02:04:05.6789Z"}, {Name: apiID, Version: "2026-01-02T03:04:05Z"}, {Name: oldID, Version: "2025-01-02T03:04:05Z"}})
	if err != nil || got.Version != want {
		t.Errorf("a search: %+v, %v", got, err)
	}
}

func TestASecretThatIsNotMeantIsNotTaken(t *testing.T) {
	b, s := start(t)
	if _, err := s.Version(t.Context(), sources.Ref{Key: "none"}); class(err) != sources.NotFound {
		t.Errorf("got %v", err)
	}
	b.secrets[oldID]["projectId"] = "p"
	if _, err := s.Version(t.Context(), sources.Ref{Key: "db"}); class(err) != sources.Refused {
		t.Errorf("two of a name: %v", err)
	}
	for field, value := range map[string]any{"revisionDate": canary, "id": apiID} {
		b.secrets[dbID] = secret(dbID, "db", "p", "2026-01-02T03:04:05Z")
		b.secrets[dbID][field] = value
		if _, err := s.Version(t.Context(), sources.Ref{Key: dbID}); class(err) != sources.Malformed ||
			strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestWhatTheServerRefusesIsSaidInOurWords(t *testing.T) {
	const upstream = "API error: Received error message from server: "
	for _, c := range []struct {
		status int
		text   string
		want   sources.Class
	}{
		{400, "failed to get secret: " + upstream + "[404 Not Found] " + canary, sources.NotFound},
		{400, "failed to get secret: " + upstream + "[429 Too Many Requests]", sources.Throttled},
		{400, "failed to get secret: " + upstream + "[503 Service Unavailable]", sources.Unavailable},
		{400, "failed to get secret: " + canary, sources.Refused},
		{400, "failed to login to bitwarden using access token: " + upstream + "[400 Bad Request] " + canary, sources.NoLogin},
		{400, "failed to login to bitwarden using access token: " + canary, sources.NoLogin},
		{400, "failed to login to bitwarden using access token: [500 Internal Server Error]", sources.Unavailable},
		{401, "Missing Warden access token", sources.NoLogin}, {404, "404 page not found", sources.NotFound},
		{500, canary, sources.Unavailable}, {302, "", sources.Redirected}, {200, canary, sources.Malformed}, {200, "[]", sources.Malformed},
	} {
		b, s := start(t)
		b.status, b.text = c.status, c.text
		for _, key := range []string{dbID, "db"} {
			if _, err := s.Version(t.Context(), sources.Ref{Key: key}); class(err) != c.want ||
				strings.Contains(err.Error(), canary) {
				t.Errorf("%d %s: %v, want %s", c.status, c.text, err, c.want)
			}
		}
	}
}

func TestValuesHaveToBePermitted(t *testing.T) {
	target := &stores.Target{Operator: &stores.Operator{HashKey: true, Env: func(string) (string, bool) { return "", false }}, Fields: map[string]string{}}
	if _, err := Open(target); class(err) != sources.Unpermitted {
		t.Errorf("got %v", err)
	}
	target.Operator = &stores.Operator{Values: true, Env: target.Operator.Env} // the date needs no hash key
	if _, err := Open(target); err != nil {
		t.Error(err)
	}
}
