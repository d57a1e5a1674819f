// Package vault asks HashiCorp Vault and OpenBao for versions: of a KV version 2 engine it reads metadata only, never
// data.
package vault

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/rollstamp/rollstamp/sources"
)

// Options say which Vault, and who we are for it.
type Options struct {
	Address   string
	Namespace string // of Vault Enterprise and OpenBao; "" is the root, or the environment's
	Mount     string // of the engine; "" where the first part of each key names it
	Version   string // of the engine: v1 or v2; "" is v2
	Values    bool   // read the value where the engine has no versions
	HTTP      *http.Client
	Login     Login
}

// Login says how to get a token.
type Login struct {
	Token func() (string, error) // the token itself, or what proves who we are where Path is given
	Path  string                 // "auth/kubernetes/login": where to log in first
	Field string                 // of the request, that holds what proves who we are: jwt, secret_id
	With  map[string]string      // further fields of the request
}

// Store is one Vault.
type Store struct {
	Options
	client *api.Client

	mu       sync.Mutex
	loggedIn bool
	engines  []engine // that were looked at
}

// New makes a client. It asks nothing yet.
func New(o Options) (*Store, error) {
	switch o.Version {
	case "":
		o.Version = "v2"
	case "v1", "v2":
	default:
		return nil, sources.Fail(sources.Refused, "version of the engine")
	}
	if o.Mount = strings.Trim(o.Mount, "/"); o.Mount != "" && !clean(o.Mount) {
		return nil, sources.Fail(sources.Refused, "path of the engine")
	}
	own := *o.HTTP // the library changes it, and would send the token along with a redirection
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return sources.ErrRedirected }
	client, err := api.NewClient(&api.Config{Address: o.Address, HttpClient: &own, MaxRetries: 0, DisableRedirects: true})
	if err != nil {
		return nil, sources.Fail(sources.Refused, "address, or a VAULT_ variable of the environment")
	}
	client.ClearToken() // the library took the environment's
	client.SetMaxRetries(0)
	if o.Namespace != "" {
		client.SetNamespace(o.Namespace)
	}
	return &Store{Options: o, client: client}, nil
}

// Version returns the number of the newest version of a key, or the version of what a search finds.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if err := s.login(ctx); err != nil {
		return sources.Answer{}, err
	}
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	if ref.Version != "" && ref.Version != "0" { // 0 is the newest; one that pins never gets here
		return sources.Answer{}, sources.Fail(sources.Refused, "version")
	}
	if ref.Store.EngineUnknown() {
		return s.inPod(ctx, ref)
	}
	mount, key, err := s.split(ref.Key)
	if err != nil {
		return sources.Answer{}, err
	}
	return s.latest(ctx, mount, key, ref.Property)
}

// latest returns what there is now under a key of an engine whose version is known from the store's object.
func (s *Store) latest(ctx context.Context, mount, key, property string) (sources.Answer, error) {
	if s.Options.Version == "v1" {
		return s.value(ctx, mount, key, property)
	}
	version, _, err := s.newest(ctx, mount, key)
	return sources.Answer{Version: version}, err
}

// login gets the token, once.
func (s *Store) login(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loggedIn {
		return nil
	}
	token, err := s.Login.Token()
	if err != nil {
		return err
	}
	if s.Login.Path != "" {
		request := map[string]any{s.Login.Field: token}
		for k, v := range s.Login.With {
			request[k] = v
		}
		answer, err := s.client.Logical().WriteWithContext(ctx, s.Login.Path, request)
		if err != nil {
			f := failure(err)
			if f.Class == sources.NoPermit || f.Class == sources.Refused {
				f = sources.Fail(sources.NoLogin, f.Status)
			}
			return f
		}
		if answer == nil || answer.Auth == nil {
			return sources.Fail(sources.Malformed, "login")
		}
		token = answer.Auth.ClientToken
	}
	s.client.SetToken(token)
	s.loggedIn = true
	return nil
}

// split finds mount and key, as External Secrets does.
func (s *Store) split(path string) (mount, key string, err error) {
	path = strings.Trim(path, "/")
	before, after, data := strings.Cut(path, "/data/")
	switch {
	case s.Mount != "":
		mount, key = s.Mount, strings.TrimPrefix(path, s.Mount+"/")
	case data && s.Options.Version == "v2": // what the API calls it, of a mount that may hold slashes
		mount, key = before, after
	default:
		mount, key, _ = strings.Cut(path, "/")
	}
	if s.Options.Version == "v2" && s.Mount != "" && key != path {
		key = strings.TrimPrefix(key, "data/")
	}
	if key == "" || !clean(mount) || !clean(key) {
		return "", "", sources.Fail(sources.Refused, "key")
	}
	return mount, key, nil
}

// clean reports whether a path leads nowhere but down: the library would follow .. out of the metadata, and to read
// elsewhere may make a credential.
func clean(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." ||
			strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) {
			return false
		}
	}
	return true
}

// metadata asks for a key's metadata. The library's decoder panics where a field has another type than a Vault's.
func (s *Store) metadata(ctx context.Context, mount, key string) (m *api.KVMetadata, err error) {
	defer func() {
		if recover() != nil {
			m, err = nil, sources.Fail(sources.Malformed, "metadata")
		}
	}()
	return s.client.KVv2(mount).GetMetadata(ctx, key)
}

// newest returns the newest version of a key, which must be readable by whoever may read it.
func (s *Store) newest(ctx context.Context, mount, key string) (version string, custom map[string]any, err error) {
	m, err := s.metadata(ctx, mount, key)
	if err != nil {
		f := failure(err)
		if f.Class == sources.NoPermit {
			f.Next = `Give this token the capability "read" on the path "` + mount + "/metadata/" + key +
				`"; if it has that, the token is not valid any more.`
		}
		return "", nil, f
	}
	if m.CurrentVersion == 0 {
		return "", nil, sources.Fail(sources.NotFound, "no version")
	}
	version = strconv.Itoa(m.CurrentVersion)
	switch v, known := m.Versions[version]; {
	case !known:
		return "", nil, sources.Fail(sources.Malformed, "version "+version)
	case v.Destroyed:
		return "", nil, sources.Fail(sources.Deleted, "version "+version+" is destroyed")
	case !v.DeletionTime.IsZero() && v.DeletionTime.Before(time.Now()):
		return "", nil, sources.Fail(sources.Deleted, "version "+version)
	}
	return version, m.CustomMetadata, nil
}

// failure keeps class and status of an error of the library, whose words may be the server's.
func failure(err error) *sources.Failure {
	var answered *api.ResponseError
	switch {
	case errors.As(err, &answered):
		return sources.ByStatus(answered.StatusCode)
	case errors.Is(err, api.ErrSecretNotFound):
		return sources.Fail(sources.NotFound, "HTTP 404")
	}
	return sources.Reason(err)
}
