// Package vault starts a real Vault server in-process.
package vault

import (
	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/api"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)
var (
	_ = hclog.NewNullLogger
	_ = kv.Factory
	_ = api.NewClient
	_ = vaulthttp.Handler
	_ = inmem.NewInmem
	_ = vault.NewCore
)
