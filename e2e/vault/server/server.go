// Package server is a real Vault in the process that calls it: kv version 2 at secret and apps/kv, version 1 at old, an
// engine of leases at apps/database, and AppRole.
package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
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

// registry holds the plugins that can be mounted.
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

// New returns the handler of a Vault that is unsealed, and its root token. Nothing is mounted yet.
func New(ctx context.Context) (handler http.Handler, root string, err error) {
	logger := hclog.NewNullLogger()
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return nil, "", err
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: storage, Logger: logger, DisableMlock: true, BuiltinRegistry: registry{}, DefaultLeaseTTL: time.Hour, MaxLeaseTTL: time.Hour,
		LogicalBackends: map[string]logical.Factory{"kv": kv.Factory, "database": leases}, CredentialBackends: map[string]logical.Factory{"approle": approle.Factory},
	})
	if err != nil {
		return nil, "", err
	}
	init, err := core.Initialize(ctx, &vault.InitParams{BarrierConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}, RecoveryConfig: nil})
	if err != nil {
		return nil, "", err
	}
	if _, err := core.Unseal(init.SecretShares[0]); err != nil {
		return nil, "", err
	}
	return vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core}), init.RootToken, nil
}

// Mount mounts the engines and AppRole.
func Mount(ctx context.Context, root *api.Client) error {
	for _, m := range []struct{ path, version string }{{"secret", "2"}, {"apps/kv", "2"}, {"old", "1"}} {
		in := &api.MountInput{Type: "kv", Options: map[string]string{"version": m.version}}
		if err := root.Sys().MountWithContext(ctx, m.path, in); err != nil {
			return err
		}
	}
	if err := root.Sys().MountWithContext(ctx, "apps/database", &api.MountInput{Type: "database"}); err != nil {
		return err
	}
	return root.Sys().EnableAuthWithOptionsWithContext(ctx, "approle", &api.EnableAuthOptions{Type: "approle"})
}

// IsUpgrading reports whether a write failed because a kv engine of version 2, which upgrades itself after it is
// mounted, takes none yet.
func IsUpgrading(err error) bool {
	return err != nil && strings.Contains(strings.ToLower(err.Error()), "upgrad")
}
