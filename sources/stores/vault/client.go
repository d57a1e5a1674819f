package vault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

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

// engine asks what is mounted above a path. Vault returns it to each token that may do anything at all below the mount.
func (s *Store) engine(ctx context.Context, path string) (engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.engines {
		if path == e.mount || strings.HasPrefix(path, e.mount+"/") {
			return e, nil
		}
	}
	answer, err := s.client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+path)
	if err != nil {
		return engine{}, failure(err)
	}
	if answer == nil {
		return engine{}, sources.Fail(sources.NotFound, "mount")
	}
	options, _ := answer.Data["options"].(map[string]any)
	e := engine{kind: fmt.Sprint(answer.Data["type"]), version: fmt.Sprint(options["version"])}
	mount, _ := answer.Data["path"].(string)
	e.mount = strings.Trim(mount, "/")
	if e.mount == "" || path != e.mount && !strings.HasPrefix(path, e.mount+"/") {
		return engine{}, sources.Fail(sources.Malformed, "mount")
	}
	s.engines = append(s.engines, e)
	return e, nil
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
