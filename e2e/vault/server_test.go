// Package vault holds rollstamp to a real Vault server, which runs in the test's own process. It is a module of its own, so that the
// server's dependencies are none of rollstamp's.
package vault

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/api"
	"github.com/hashicorp/vault/builtin/credential/approle"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/sdk/framework"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// registry holds the plugins that the tests mount.
type registry struct{}

var factories = map[string]logical.Factory{"kv": kv.Factory, "approle": approle.Factory, "database": leases}

// leases is an engine that makes a credential, with a lease, each time creds/NAME is read, as that for databases does.
func leases(ctx context.Context, config *logical.BackendConfig) (logical.Backend, error) {
	b := &framework.Backend{BackendType: logical.TypeLogical}
	made := &framework.Secret{Type: "user", Revoke: func(context.Context, *logical.Request, *framework.FieldData) (*logical.Response, error) {
		return nil, nil
	}}
	b.Secrets = []*framework.Secret{made}
	b.Paths = []*framework.Path{{Pattern: "creds/.+", Operations: map[logical.Operation]framework.OperationHandler{
		logical.ReadOperation: &framework.PathOperation{Callback: func(context.Context, *logical.Request, *framework.FieldData) (*logical.Response, error) {
			return made.Response(map[string]any{"username": "v-" + rand.Text(), "password": rand.Text()}, nil), nil
		}},
	}}}
	return b, b.Setup(ctx, config)
}

func (registry) Contains(name string, _ consts.PluginType) bool { return factories[name] != nil }
func (registry) Get(name string, _ consts.PluginType) (func() (any, error), bool) {
	f := factories[name]
	return func() (any, error) { return f, nil }, f != nil
}
func (registry) Keys(consts.PluginType) []string { return nil }
func (registry) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, true
}
func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

// server is a Vault with a handler before it that counts.
type server struct {
	URL  string
	Root *api.Client

	mu    sync.Mutex
	paths map[string]int // method and path of every request that rollstamp made
	slow  time.Duration  // added to each of them
	worst time.Duration  // that one of them took
}

const (
	rootHeader = "X-Test-Root" // marks the test's own requests
	valueRoot  = "yes"
)

func (s *server) ServeHTTP(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() {
			if r.Header.Get(rootHeader) == "" {
				s.mu.Lock()
				s.worst = max(s.worst, time.Since(began))
				s.mu.Unlock()
			}
		}()
		if r.Header.Get(rootHeader) == "" {
			s.mu.Lock()
			s.paths[r.Method+" "+r.URL.Path]++
			slow := s.slow
			s.mu.Unlock()
			if slow > 0 {
				select {
				case <-time.After(slow):
				case <-r.Context().Done():
				}
			}
		}
		next.ServeHTTP(w, r)
	}
}

// asked returns how many requests rollstamp made to paths that hold part, and forgets nothing.
func (s *server) asked(part string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, count := range s.paths {
		if strings.Contains(path, part) {
			n += count
		}
	}
	return n
}

func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = map[string]int{}
}

var started = sync.OnceValues(begin)

// begin sets up one server for all tests: kv version 2 at secret and apps/kv, version 1 at old, an engine of leases at apps/database, AppRole.
func begin() (*server, error) {
	logger := hclog.NewNullLogger()
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return nil, err
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: storage, Logger: logger, DisableMlock: true, BuiltinRegistry: registry{}, DefaultLeaseTTL: time.Hour, MaxLeaseTTL: time.Hour,
		LogicalBackends: map[string]logical.Factory{"kv": kv.Factory, "database": leases}, CredentialBackends: map[string]logical.Factory{"approle": approle.Factory},
	})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	init, err := core.Initialize(ctx, &vault.InitParams{BarrierConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}, RecoveryConfig: nil})
	if err != nil {
		return nil, err
	}
	if _, err := core.Unseal(init.SecretShares[0]); err != nil {
		return nil, err
	}
	s := &server{paths: map[string]int{}}
	s.URL = httptest.NewServer(s.ServeHTTP(vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core}))).URL
	s.Root, err = api.NewClient(&api.Config{Address: s.URL})
	if err != nil {
		return nil, err
	}
	s.Root.SetToken(init.RootToken)
	s.Root.AddHeader(rootHeader, valueRoot)
	for _, m := range []struct{ path, version string }{{"secret", "2"}, {"apps/kv", "2"}, {"old", "1"}} {
		in := &api.MountInput{Type: "kv", Options: map[string]string{"version": m.version}}
		if err := s.Root.Sys().MountWithContext(ctx, m.path, in); err != nil {
			return nil, err
		}
	}
	if err := s.Root.Sys().MountWithContext(ctx, "apps/database", &api.MountInput{Type: "database"}); err != nil {
		return nil, err
	}
	return s, s.Root.Sys().EnableAuthWithOptionsWithContext(ctx, "approle", &api.EnableAuthOptions{Type: "approle"})
}

func start(t *testing.T) *server {
	t.Helper()
	s, err := started()
	if err != nil {
		t.Fatal(err)
	}
	s.forget()
	return s
}

// put writes a new version. A kv version 2 engine upgrades itself after it is mounted, and refuses to write until then.
func (s *server) put(t *testing.T, path string, data map[string]any) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := s.Root.Logical().WriteWithContext(t.Context(), path, data)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Upgrading") && !strings.Contains(err.Error(), "upgrade") || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // the engine reports nowhere when it is done
	}
}

func (s *server) put2(t *testing.T, mount, key, value string) {
	t.Helper()
	s.put(t, mount+"/data/"+key, map[string]any{"data": map[string]any{"password": value}})
}

// token makes one with a policy.
func (s *server) token(t *testing.T, rules string) string {
	t.Helper()
	name := strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name()))
	if err := s.Root.Sys().PutPolicyWithContext(t.Context(), name, rules); err != nil {
		t.Fatal(err)
	}
	made, err := s.Root.Auth().Token().CreateWithContext(t.Context(), &api.TokenCreateRequest{Policies: []string{name}, NoParent: true, NoDefaultPolicy: true})
	if err != nil {
		t.Fatal(err)
	}
	return made.Auth.ClientToken
}
