package gcp

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/secretmanager/apiv1/secretmanagerpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-77e0"

// service is Secret Manager as far as it describes; to access a value is not implemented.
type service struct {
	secretmanagerpb.UnimplementedSecretManagerServiceServer
	mu       sync.Mutex
	asked    []string
	versions map[string]*secretmanagerpb.SecretVersion
	enabled  map[string]string // of a secret: its newest enabled version
	secrets  []*secretmanagerpb.Secret
	fail     error
}

func (s *service) note(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, what)
	return s.fail
}

func (s *service) GetSecretVersion(
	_ context.Context,
	r *secretmanagerpb.GetSecretVersionRequest,
) (*secretmanagerpb.SecretVersion, error) {
	if err := s.note(r.Name); err != nil {
		return nil, err
	}
	if v := s.versions[r.Name]; v != nil {
		return v, nil
	}
	return nil, status.Error(codes.NotFound, canary)
}

func (s *service) ListSecretVersions(
	_ context.Context,
	r *secretmanagerpb.ListSecretVersionsRequest,
) (*secretmanagerpb.ListSecretVersionsResponse, error) {
	if err := s.note(r.Parent + "?" + r.Filter); err != nil {
		return nil, err
	}
	out := &secretmanagerpb.ListSecretVersionsResponse{}
	if v := s.enabled[r.Parent]; v != "" {
		out.Versions = append(out.Versions, &secretmanagerpb.SecretVersion{Name: r.Parent + "/versions/" + v, State: secretmanagerpb.SecretVersion_ENABLED})
	}
	return out, nil
}

func (s *service) ListSecrets(
	_ context.Context,
	r *secretmanagerpb.ListSecretsRequest,
) (*secretmanagerpb.ListSecretsResponse, error) {
	if r.PageToken == "" && len(s.secrets) > 0 {
		return &secretmanagerpb.ListSecretsResponse{Secrets: s.secrets[:1], NextPageToken: "1"}, s.note(r.Parent)
	}
	return &secretmanagerpb.ListSecretsResponse{Secrets: s.secrets[min(1, len(s.secrets)):]}, s.note(r.Parent)
}

func (s *service) version(parent, secret, asked, number string, state secretmanagerpb.SecretVersion_State) {
	if s.versions == nil {
		s.versions = map[string]*secretmanagerpb.SecretVersion{}
	}
	s.versions[parent+"/secrets/"+secret+"/versions/"+asked] = &secretmanagerpb.SecretVersion{Name: parent + "/secrets/" + secret + "/versions/" + number, State: state}
}

func client(t *testing.T, s *service, o Options) *Store {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	secretmanagerpb.RegisterSecretManagerServiceServer(server, s)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	o.Client = []option.ClientOption{option.WithEndpoint(l.Addr().String()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials()))}
	c, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func failed(t *testing.T, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("got %v, want %s", err, want)
	}
}

const (
	enabled   = secretmanagerpb.SecretVersion_ENABLED
	disabled  = secretmanagerpb.SecretVersion_DISABLED
	destroyed = secretmanagerpb.SecretVersion_DESTROYED
)

func TestTheVersionIsTheNumberThatLatestOrAnAliasStandsFor(t *testing.T) {
	s := &service{}
	s.version("projects/p", "db", "latest", "7", enabled)
	s.version("projects/p", "db", "prod", "5", enabled)
	s.version("projects/p/locations/europe-west3", "db", "latest", "3", enabled)
	c := client(t, s, Options{Project: "p"})
	for version, want := range map[string]string{"": "7", "latest": "7", "prod": "5"} {
		got, err := c.Version(t.Context(), sources.Ref{Key: "db", Version: version})
		if err != nil || got.Version != want {
			t.Errorf("%q: got %+v, %v", version, got, err)
		}
	}
	if got, err := client(t, s, Options{Project: "p", Location: "europe-west3"}).Version(t.Context(), sources.Ref{Key: "db"}); err != nil || got.Version != "3" {
		t.Errorf("in a location: %+v, %v", got, err)
	}
}

func TestAVersionThatCannotBeReadIsAnErrorUnlessTheStoreFallsBack(t *testing.T) {
	s := &service{enabled: map[string]string{"projects/p/secrets/off": "4"}}
	s.version("projects/p", "off", "latest", "5", disabled)
	s.version("projects/p", "lost", "latest", "5", destroyed)
	s.version("projects/p", "odd", "latest", "../x", enabled)
	strict, lenient := client(t, s, Options{Project: "p"}), client(t, s, Options{Project: "p", Fallback: true})
	_, err := strict.Version(t.Context(), sources.Ref{Key: "off"})
	failed(t, err, sources.Disabled)
	_, err = strict.Version(t.Context(), sources.Ref{Key: "lost"})
	failed(t, err, sources.Deleted)
	if got, err := lenient.Version(t.Context(), sources.Ref{Key: "off"}); err != nil || got.Version != "4" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = lenient.Version(t.Context(), sources.Ref{Key: "lost"})
	failed(t, err, sources.Disabled)
	_, err = strict.Version(t.Context(), sources.Ref{Key: "none"})
	failed(t, err, sources.NotFound)
	before := len(s.asked)
	for _, key := range []string{"a/versions/1", "..", "", "a b"} {
		_, err = strict.Version(t.Context(), sources.Ref{Key: key})
		failed(t, err, sources.Refused)
	}
	if len(s.asked) != before {
		t.Errorf("asked for %v", s.asked[before:])
	}
	for code, want := range map[codes.Code]sources.Class{
		codes.PermissionDenied: sources.NoPermit, codes.Unauthenticated: sources.NoLogin,
		codes.ResourceExhausted: sources.Throttled,
		codes.Unavailable:       sources.Unavailable, codes.InvalidArgument: sources.Refused,
		codes.DataLoss: sources.Malformed,
	} {
		s.fail = status.Error(code, canary)
		before := len(s.asked)
		_, err = strict.Version(t.Context(), sources.Ref{Key: "off"})
		failed(t, err, want)
		if n := len(s.asked) - before; n != 1 {
			t.Errorf("%s: %d requests; asking again is the resolver's", code, n)
		}
	}
}

func TestASearchPassesOverWhatHoldsNothing(t *testing.T) {
	s := &service{secrets: []*secretmanagerpb.Secret{
		{Name: "projects/1/secrets/a-db", Labels: map[string]string{"team": "x"}}, {Name: "projects/1/secrets/b-db"}, {Name: "projects/1/secrets/off-db"}, {Name: "projects/1/secrets/web"},
	}}
	for _, name := range []string{"a-db", "b-db", "web"} {
		s.version("projects/p", name, "latest", "2", enabled)
	}
	s.version("projects/p", "off-db", "latest", "2", disabled)
	c := client(t, s, Options{Project: "p"})
	item := func(names ...string) (out []sources.Item) {
		for _, n := range names {
			out = append(out, sources.Item{Name: n, Version: "2"})
		}
		return out
	}
	for _, f := range []struct {
		find sources.Find
		want []sources.Item
	}{
		{sources.Find{Name: "-db$"}, item("a-db", "b-db")}, {sources.Find{}, item("a-db", "b-db", "web")}, {sources.Find{Path: "w"}, item("web")},
		{sources.Find{Name: "-db$", Tags: map[string]string{"team": "x"}}, item("a-db", "b-db")}, // the name alone counts
		{sources.Find{Tags: map[string]string{"team": "x"}}, item("a-db")}, {sources.Find{Tags: map[string]string{"team": "y"}}, nil},
	} {
		got, err := c.Version(t.Context(), sources.Ref{Find: &f.find})
		if err != nil || got.Version != sources.SetVersion(f.want) {
			t.Errorf("%+v: got %+v, %v", f.find, got, err)
		}
	}
}

func TestAnAnswerThatIsTooLongIsRefused(t *testing.T) {
	s := &service{}
	s.version("projects/p", "big", "latest", strings.Repeat("7", maxAnswer+1), enabled)
	_, err := client(t, s, Options{Project: "p"}).Version(t.Context(), sources.Ref{Key: "big"})
	failed(t, err, sources.TooLarge)
}

func TestWithoutAnIdentityOrProjectNobodyIsAsked(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none"))
	_, err := New(t.Context(), Options{Project: "p"})
	failed(t, err, sources.NoIdentity)
	_, err = New(t.Context(), Options{})
	failed(t, err, sources.Incomplete)
	for _, endpoint := range []string{"http://127.0.0.1:1", "127.0.0.1:1", "https://", "https://[::1"} {
		_, err = New(t.Context(), Options{Project: "p", Endpoint: endpoint})
		failed(t, err, sources.Refused)
	}
	if _, err = New(t.Context(), Options{Project: "p", CAFile: filepath.Join(t.TempDir(), "none")}); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte(`{"type": "", "private_key": "`+canary+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = File(path)
	failed(t, err, sources.NoIdentity)
}
