package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/live"
	"github.com/rollstamp/rollstamp/sources/remote"
	"github.com/rollstamp/rollstamp/sources/vault"
)

// silence keeps the clients' libraries from printing what they think.
func silence() { log.SetOutput(io.Discard) }

// open makes the resolver for a request.
func open(req remote.Request) (sources.Outside, error) {
	w := wiring{req: req, env: config.Environment()}
	return &live.Resolver{Open: w.client, Digest: w.digest}, nil
}

// wiring knows every client.
type wiring struct {
	req remote.Request
	env config.Env
}

// digest makes what stands for a value, here, so that no value leaves this process.
func (w *wiring) digest(ref sources.Ref, value redact.Secret) (string, error) {
	key := hashing.Borrow(w.req.Key)
	if key == nil {
		return "", sources.Fail(sources.NoKey, "")
	}
	return hashing.StoreValue(ref.ID(), value, *key), nil
}

// client gives the client of a store, if it may be asked.
func (w *wiring) client(s sources.Store) (sources.Versions, error) {
	ambient, _ := w.env(config.EnvVaultAddr)
	target, f := live.Aim(s, w.req.Rules, ambient)
	if f != nil {
		return nil, f
	}
	client, known := clients[target.Provider]
	if !known {
		return nil, sources.Fail(sources.Unsupported, string(target.Provider))
	}
	versions, err := client(w, target)
	if err != nil || !w.req.Values || len(w.req.Key) > 0 {
		return versions, err
	}
	return keyless{versions}, nil
}

// values tells whether clients may read values: only where there is a key to digest them with.
func (w *wiring) values() bool { return w.req.Values && len(w.req.Key) > 0 }

// keyless is a store whose values may be read, in a run without a hash key: what is missing is the key.
type keyless struct{ sources.Versions }

// Version is sources.Versions'.
func (k keyless) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	answer, err := k.Versions.Version(ctx, ref)
	var f *sources.Failure
	if errors.As(err, &f) && f.Class == sources.NoVersions {
		return answer, sources.Fail(sources.NoKey, f.Status)
	}
	return answer, err
}

var clients = map[config.StoreProvider]func(*wiring, *live.Target) (sources.Versions, error){
	config.ProviderVault: (*wiring).vault,
}

const (
	kubernetesLogin = "kubernetes"
	appRoleLogin    = "approle"
	podToken        = "/var/run/secrets/kubernetes.io/serviceaccount/token"
)

func (w *wiring) vault(t *live.Target) (sources.Versions, error) {
	client, err := live.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	login := vault.Login{Token: w.token(t, config.EnvVaultToken)}
	mount := string(t.Credentials.Mount)
	switch c := t.Credentials; {
	case c.KubernetesRole != "":
		if c.TokenFile == "" && c.TokenEnv == "" {
			login.Token = fileToken(podToken)
		}
		login.Path, login.Field = loginPath(mount, kubernetesLogin), "jwt"
		login.With = map[string]string{"role": string(c.KubernetesRole)}
	case c.AppRole != "":
		login.Path, login.Field = loginPath(mount, appRoleLogin), "secret_id"
		login.With = map[string]string{"role_id": string(c.AppRole)}
	}
	return vault.New(vault.Options{
		Address: t.Fields["server"], Namespace: t.Fields["namespace"], Mount: t.Fields["path"], Version: t.Fields["version"],
		Values: w.values(), HTTP: client, Login: login,
	})
}

func loginPath(mount, usual string) string {
	if mount == "" {
		mount = usual
	}
	return "auth/" + strings.Trim(mount, "/") + "/login"
}

// token finds a token where the operator says: a file, a variable, or the ambient variable.
func (w *wiring) token(t *live.Target, ambient string) func() (string, error) {
	switch c := t.Credentials; {
	case c.TokenFile != "":
		return fileToken(string(c.TokenFile))
	case c.TokenEnv != "":
		return variable(string(c.TokenEnv), config.NamedByOperator)
	}
	return variable(ambient, w.env)
}

func variable(name string, env func(string) (string, bool)) func() (string, error) {
	return func() (string, error) {
		token, _ := env(name)
		if token = strings.TrimSpace(token); token == "" {
			return "", sources.Fail(sources.NoLogin, name+" is not set")
		}
		return token, nil
	}
}

// maxToken is the size of the largest token that is read.
const maxToken = 64 << 10

func fileToken(path string) func() (string, error) {
	return func() (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", unreadable(path)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
		token := strings.TrimSpace(string(text))
		if err != nil || token == "" || len(text) > maxToken {
			return "", unreadable(path)
		}
		return token, nil
	}
}

func unreadable(path string) error {
	f := sources.Fail(sources.NoLogin, "no token in "+path)
	f.Next = fmt.Sprintf("Put the token into %s, readable for this process.", path)
	return f
}
