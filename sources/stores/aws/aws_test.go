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

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

const foreign = "arn:aws:ssm:eu-central-1:222222222222:parameter/shared/db"

const canary = "canary-4c1d"

// region answers in AWS's protocol: a target, and JSON in and out.
type region struct {
	mu      sync.Mutex
	asked   []string
	secrets map[string]map[string]any // DescribeSecret
	pages   []map[string]any          // of a list or a description of parameters
	fail    string                    // the type of an error
	filters any                       // of the last list
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
	case target == "AmazonSSM.GetParameter" && in["Name"] == "/app/db:prod" && in["WithDecryption"] == false:
		_ = json.NewEncoder(w).Encode(map[string]any{"Parameter": map[string]any{"Name": "/app/db", "Version": 5, "Value": canary}})
	case target == "AmazonSSM.GetParameter":
		refuse(http.StatusBadRequest, "ParameterVersionNotFound")
	case in["Shared"] == true:
		_ = json.NewEncoder(w).Encode(map[string]any{"Parameters": []any{map[string]any{"Name": foreign, "ARN": foreign, "Version": 4}}})
	default: // pages, by their number as token
		a.filters = in["Filters"]
		if in["ParameterFilters"] != nil {
			a.filters = in["ParameterFilters"]
		}
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

// at returns the options for a region on loopback, with an identity that nobody has.
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

func TestAServiceThatIsNotThereIsReportedAsSuch(t *testing.T) {
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
	failed(t, err, sources.NoIdentity)
	o.Region = ""
	_, err = NewSecrets(t.Context(), o)
	failed(t, err, sources.Incomplete)
	o.Region, o.Profile = "eu-central-1", "none"
	_, err = NewSecrets(t.Context(), o)
	failed(t, err, sources.NoIdentity)
	o.Profile, o.CAFile = "", "/nowhere"
	if _, err = NewSecrets(t.Context(), o); diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("got %v", err)
	}
	if len(a.asked) > 0 {
		t.Errorf("asked for %v", a.asked)
	}
}

// TestWhatIsWrongWithTheIdentityIsNotReportedOfTheSecret has a machine, and an AWS that is asked for a role first.
func TestWhatIsWrongWithTheIdentityIsNotReportedOfTheSecret(t *testing.T) {
	for status, want := range map[int]sources.Class{http.StatusForbidden: sources.NoIdentity,
		http.StatusNotFound: sources.NoIdentity, http.StatusServiceUnavailable: sources.Unavailable} {
		machine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, canary)
		}))
		a := &region{}
		o := at(t, a)
		for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": machine.URL} {
			t.Setenv(name, value)
		}
		s, err := NewSecrets(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Version(t.Context(), sources.Ref{Key: "x"})
		failed(t, err, want)
		machine.Close()
		if len(a.asked) > 0 {
			t.Errorf("asked for %v", a.asked)
		}
	}
	roles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>%s</Message></Error></ErrorResponse>", canary)
	}))
	defer roles.Close()
	o := at(t, &region{})
	t.Setenv("AWS_ENDPOINT_URL_STS", roles.URL)
	o.Role = "arn:aws:iam::1:role/render"
	s, err := NewSecrets(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Version(t.Context(), sources.Ref{Key: "x"})
	failed(t, err, sources.NoLogin)
	if !strings.Contains(err.Error(), "AccessDenied, asking AWS for an identity") {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerThatIsBrokenOffMayBeAskedForAgain(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"Name":`)
			panic(http.ErrAbortHandler)
		}))
		defer s.Close()
		o := at(t, &region{})
		o.Endpoint = s.URL
		c, err := NewSecrets(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Version(t.Context(), sources.Ref{Key: "x"})
		failed(t, err, sources.Unavailable)
	}
}

// counting counts what passes it.
type counting struct {
	next http.RoundTripper
	n    *int
}

func (c counting) RoundTrip(req *http.Request) (*http.Response, error) {
	*c.n++
	return c.next.RoundTrip(req)
}

func TestEveryRequestGoesThroughTheCarefulTransport(t *testing.T) {
	a := &region{secrets: map[string]map[string]any{"x": {"Name": "x", "VersionIdsToStages": map[string]any{"v": []string{"AWSCURRENT"}}}}}
	o := at(t, a)
	t.Setenv("AWS_CA_BUNDLE", "") // with it the SDK has a client of its own to be changed, without it none
	n := 0
	o.Wrap = func(next http.RoundTripper) http.RoundTripper { return counting{next, &n} }
	s, err := NewSecrets(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Version(t.Context(), sources.Ref{Key: "x"}); err != nil || n != 1 || len(a.asked) != 1 {
		t.Errorf("%d of %d requests, %v", n, len(a.asked), err)
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
	} {
		got, err := s.Version(t.Context(), sources.Ref{Find: &c.find})
		if err != nil || got.Version != sources.SetVersion(c.want) {
			t.Errorf("%+v: got %+v, %v", c.find, got, err)
		}
	}
	// Tags are AWS's to compare, as External Secrets leaves them to it.
	a.filters = nil
	if _, err := s.Version(t.Context(), sources.Ref{Find: &sources.Find{Path: "app/", Tags: map[string]string{"team": "x"}}}); err != nil ||
		fmt.Sprint(a.filters) != "[map[Key:name Values:[app/]] map[Key:tag-key Values:[team]] map[Key:tag-value Values:[x]]]" {
		t.Errorf("asked with %v, %v", a.filters, err)
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
	got, err := p.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "db2?$"}})
	if want := sources.SetVersion([]sources.Item{{Name: "/app/db", Version: "7"}, {Name: "/app/db2", Version: "9"}}); err != nil || got.Version != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, target := range a.asked {
		if target != "AmazonSSM.DescribeParameters" {
			t.Errorf("asked for %s", target)
		}
	}
	if _, err := p.Version(t.Context(), sources.Ref{Find: &sources.Find{Name: "a", Path: "/app", Tags: map[string]string{"x": "y"}}}); err != nil ||
		fmt.Sprint(a.filters) != "[map[Key:Path Option:Recursive Values:[/app]]]" {
		t.Errorf("asked with %v, %v: where there is a name, External Secrets looks at no tags", a.filters, err)
	}
	a.fail = "AccessDeniedException"
	_, err = p.Version(t.Context(), sources.Ref{Key: "/app/db"})
	failed(t, err, sources.NoPermit)
}

func TestAParameterIsFoundByItsARNAndAVersionOfItByNumberOrLabel(t *testing.T) {
	const own = "arn:aws:ssm:eu-central-1:111111111111:parameter/app/db"
	a := &region{pages: []map[string]any{{"Parameters": []any{map[string]any{"Name": "/app/db", "ARN": own, "Version": 7}}}}}
	o := at(t, a)
	closed, err := NewParameters(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Values = true
	open, err := NewParameters(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, version, want, asks string }{
		{own, "", "7", "[AmazonSSM.DescribeParameters]"}, {foreign, "", "4", "[AmazonSSM.DescribeParameters AmazonSSM.DescribeParameters]"},
		{"/app/db:3", "", "3", "[]"}, {own + ":3", "", "3", "[]"}, {"/app/db:prod", "", "5", "[AmazonSSM.GetParameter]"}, {"/app/db", "prod", "5", "[AmazonSSM.GetParameter]"},
	} {
		a.asked = nil
		got, err := open.Version(t.Context(), sources.Ref{Key: c.key, Version: c.version})
		if err != nil || got.Version != c.want || len(got.Value.Reveal()) > 0 || fmt.Sprint(a.asked) != c.asks {
			t.Errorf("%s, %q: got %+v, %v; asked for %v", c.key, c.version, got, err, a.asked)
		}
	}
	_, err = open.Version(t.Context(), sources.Ref{Key: "/app/db", Version: "none"})
	failed(t, err, sources.NotFound)
	_, err = open.Version(t.Context(), sources.Ref{Key: "/app/db:3", Version: "4"})
	failed(t, err, sources.Refused)
	_, err = open.Version(t.Context(), sources.Ref{Key: strings.Replace(foreign, "shared", "other", 1)})
	failed(t, err, sources.NotFound)
	a.asked = nil
	_, err = closed.Version(t.Context(), sources.Ref{Key: "/app/db", Version: "prod"})
	failed(t, err, sources.Unsupported)
	if len(a.asked) > 0 {
		t.Errorf("asked for %v without permission", a.asked)
	}
}
