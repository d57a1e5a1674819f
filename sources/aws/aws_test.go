package aws

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-4c1d"

// region answers in AWS's protocol: a target, and JSON in and out.
type region struct {
	mu      sync.Mutex
	asked   []string
	secrets map[string]map[string]any // DescribeSecret
	pages   []map[string]any          // of a list or a description of parameters
	fail    string                    // the type of an error
}

func (a *region) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.Header.Get("X-Amz-Target")
	var in map[string]any
	_ = json.NewDecoder(r.Body).Decode(&in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, target)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	refuse := func(status int, kind string) {
		w.Header().Set("X-Amzn-ErrorType", kind)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"__type": kind, "message": canary, "Message": canary})
	}
	switch {
	case a.fail != "":
		refuse(http.StatusBadRequest, a.fail)
	case strings.HasSuffix(target, "DescribeSecret"):
		if s := a.secrets[fmt.Sprint(in["SecretId"])]; s != nil {
			_ = json.NewEncoder(w).Encode(s)
			return
		}
		refuse(http.StatusBadRequest, "ResourceNotFoundException")
	default: // pages, by their number as token
		n := 0
		if token, ok := in["NextToken"].(string); ok {
			_, _ = fmt.Sscan(token, &n)
		}
		page := map[string]any{}
		for k, v := range a.pages[n] {
			page[k] = v
		}
		if n+1 < len(a.pages) {
			page["NextToken"] = fmt.Sprint(n + 1)
		}
		_ = json.NewEncoder(w).Encode(page)
	}
}

// at gives the options for a region on loopback, with an identity that nobody has.
func at(t *testing.T, a *region) Options {
	t.Helper()
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": canary, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_REGION": "", "AWS_PROFILE": ""} {
		t.Setenv(name, value)
	}
	return Options{Region: "eu-central-1", Endpoint: s.URL, Wrap: func(next http.RoundTripper) http.RoundTripper { return next }}
}

func secretsOf(t *testing.T, a *region) *Secrets {
	t.Helper()
	s, err := NewSecrets(t.Context(), at(t, a))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parametersOf(t *testing.T, a *region) *Parameters {
	t.Helper()
	p, err := NewParameters(t.Context(), at(t, a))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func failed(t *testing.T, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTheVersionOfASecretIsTheOneWithTheStage(t *testing.T) {
	a := &region{secrets: map[string]map[string]any{"app/db": {
		"Name": "app/db", "LastChangedDate": 1.7e9,
		"VersionIdsToStages": map[string]any{"v-old": []string{"AWSPREVIOUS"}, "v-new": []string{"AWSCURRENT", "prod"}, "v-next": []string{"AWSPENDING"}},
	}}}
	s := secretsOf(t, a)
	for stage, want := range map[string]string{"": "v-new", "AWSCURRENT": "v-new", "AWSPREVIOUS": "v-old", "prod": "v-new"} {
		got, err := s.Version(t.Context(), sources.Ref{Key: "app/db", Version: stage})
		if err != nil || got.Version != want {
			t.Errorf("%q: got %+v, %v", stage, got, err)
		}
	}
	// A tag or a version that is pending moves a date, and nothing else.
	a.secrets["app/db"]["LastChangedDate"], a.secrets["app/db"]["Tags"] = 1.8e9, []any{map[string]string{"Key": "a", "Value": "b"}}
	if got, err := s.Version(t.Context(), sources.Ref{Key: "app/db"}); err != nil || got.Version != "v-new" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, target := range a.asked {
		if target != "secretsmanager.DescribeSecret" {
			t.Errorf("asked for %s", target)
		}
	}
	s.prefix = "app/"
	if got, err := s.Version(t.Context(), sources.Ref{Key: "db"}); err != nil || got.Version != "v-new" {
		t.Errorf("with a prefix: %+v, %v", got, err)
	}
}

func TestASecretThatCannotBeReadIsAnErrorOfItsOwn(t *testing.T) {
	a := &region{secrets: map[string]map[string]any{
		"doomed": {"Name": "doomed", "DeletedDate": 1.7e9, "VersionIdsToStages": map[string]any{"v": []string{"AWSCURRENT"}}},
		"bare":   {"Name": "bare"},
	}}
	s := secretsOf(t, a)
	_, err := s.Version(t.Context(), sources.Ref{Key: "doomed"})
	failed(t, err, sources.Deleted)
	_, err = s.Version(t.Context(), sources.Ref{Key: "bare"})
	failed(t, err, sources.NotFound)
	_, err = s.Version(t.Context(), sources.Ref{Key: "none"})
	failed(t, err, sources.NotFound)
	for code, want := range map[string]sources.Class{
		"AccessDeniedException": sources.NoPermit, "ThrottlingException": sources.Throttled, "ExpiredTokenException": sources.NoLogin,
		"InternalServiceError": sources.Unavailable, "Surprise" + canary: sources.Refused,
	} {
		a.fail = code
		before := len(a.asked)
		_, err = s.Version(t.Context(), sources.Ref{Key: "x"})
		failed(t, err, want)
		if n := len(a.asked) - before; n != 1 {
			t.Errorf("%s: %d requests; asking again is the resolver's", code, n)
		}
	}
}

func TestAServiceThatIsNotThereIsToldAsSuch(t *testing.T) {
	o := at(t, &region{})
	o.Endpoint = "http://127.0.0.1:1"
	s, err := NewSecrets(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Version(t.Context(), sources.Ref{Key: "x"})
	failed(t, err, sources.Unavailable)
}

func TestWithoutAnIdentityOrRegionNobodyIsAsked(t *testing.T) {
	a := &region{}
	o := at(t, a)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	s, err := NewSecrets(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Version(t.Context(), sources.Ref{Key: "x"})
	failed(t, err, sources.NoLogin)
	o.Region = ""
	_, err = NewSecrets(t.Context(), o)
	failed(t, err, sources.Incomplete)
	o.Region, o.Profile = "eu-central-1", "none"
	_, err = NewSecrets(t.Context(), o)
	failed(t, err, sources.NoLogin)
	if len(a.asked) > 0 {
		t.Errorf("asked for %v", a.asked)
	}
}

func TestASearchListsNamesWithTheirCurrentVersion(t *testing.T) {
	entry := func(name, version string, tags ...string) map[string]any {
		e := map[string]any{"Name": name, "SecretVersionsToStages": map[string]any{version: []string{"AWSCURRENT"}, "old": []string{"AWSPREVIOUS"}}}
		if len(tags) > 0 {
			e["Tags"] = []any{map[string]string{"Key": tags[0], "Value": tags[1]}}
		}
		return e
	}
	gone := entry("app/gone", "1")
	gone["DeletedDate"] = 1.7e9
	a := &region{pages: []map[string]any{
		{"SecretList": []any{entry("app/b", "2"), gone, map[string]any{"Name": "app/empty"}}},
		{"SecretList": []any{}},
		{"SecretList": []any{entry("app/a", "1", "team", "x"), entry("other/a", "1")}},
	}}
	s := secretsOf(t, a)
	for _, c := range []struct {
		find sources.Find
		want []sources.Item
	}{
		{sources.Find{}, []sources.Item{{Name: "app/a", Version: "1"}, {Name: "app/b", Version: "2"}, {Name: "other/a", Version: "1"}}},
		{sources.Find{Path: "app/"}, []sources.Item{{Name: "app/b", Version: "2"}, {Name: "app/a", Version: "1"}}},
		{sources.Find{Name: "/a$"}, []sources.Item{{Name: "app/a", Version: "1"}, {Name: "other/a", Version: "1"}}},
		{sources.Find{Tags: map[string]string{"team": "x"}}, []sources.Item{{Name: "app/a", Version: "1"}}},
		{sources.Find{Tags: map[string]string{"team": "y"}}, nil},
	} {
		got, err := s.Version(t.Context(), sources.Ref{Find: &c.find})
		if err != nil || got.Version != sources.SetVersion(c.want) {
			t.Errorf("%+v: got %+v, %v", c.find, got, err)
		}
	}
	if slices.Contains(a.asked, "secretsmanager.GetSecretValue") {
		t.Error("a value was read")
	}
	_, err := s.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "("}})
	failed(t, err, sources.Refused)
}

func TestTheVersionOfAParameterIsFoundOverPagesByItsExactName(t *testing.T) {
	parameter := func(name string, version int) map[string]any { return map[string]any{"Name": name, "Version": version} }
	a := &region{pages: []map[string]any{{"Parameters": []any{}}, {}, {"Parameters": []any{parameter("/app/db2", 9), parameter("/app/db", 7)}}}}
	for i := range 60 {
		a.pages[0]["Parameters"] = append(a.pages[0]["Parameters"].([]any), parameter(fmt.Sprintf("/app/db/%d", i), 1))
	}
	p := parametersOf(t, a)
	if got, err := p.Version(t.Context(), sources.Ref{Key: "/app/db"}); err != nil || got.Version != "7" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := p.Version(t.Context(), sources.Ref{Key: "/app"})
	failed(t, err, sources.NotFound)
	_, err = p.Version(t.Context(), sources.Ref{Key: "/app/db", Version: "label"})
	failed(t, err, sources.Unsupported)
	got, err := p.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "db2?$"}})
	if want := sources.SetVersion([]sources.Item{{Name: "/app/db", Version: "7"}, {Name: "/app/db2", Version: "9"}}); err != nil || got.Version != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, target := range a.asked {
		if target != "AmazonSSM.DescribeParameters" {
			t.Errorf("asked for %s", target)
		}
	}
	a.fail = "AccessDeniedException"
	_, err = p.Version(t.Context(), sources.Ref{Key: "/app/db"})
	failed(t, err, sources.NoPermit)
}
