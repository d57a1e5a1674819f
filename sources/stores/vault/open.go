package vault

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// The ways to log in, as Vault mounts them where nobody says otherwise, and the token of the pod that we are in.
const (
	kubernetesLogin = "kubernetes"
	appRoleLogin    = "approle"
	podToken        = "/var/run/secrets/kubernetes.io/serviceaccount/token"
)

// Open returns the client of a store.
func Open(t *stores.Target) (sources.Versions, error) {
	client, err := stores.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	login := Login{Token: t.Token(config.EnvVaultToken)}
	mount := string(t.Credentials.Mount)
	switch c := t.Credentials; {
	case c.KubernetesRole != "":
		if c.TokenFile == "" && c.TokenEnv == "" {
			login.Token = stores.FileToken(podToken)
		}
		login.Path, login.Field = loginPath(mount, kubernetesLogin), "jwt"
		login.With = map[string]string{"role": string(c.KubernetesRole)}
	case c.AppRole != "":
		login.Path, login.Field = loginPath(mount, appRoleLogin), "secret_id"
		login.With = map[string]string{"role_id": string(c.AppRole)}
	}
	return New(Options{
		Address: t.Fields["server"], Namespace: t.Fields["namespace"], Mount: t.Fields["path"],
		Version: t.Fields["version"], Values: t.ReadValues(), HTTP: client, Login: login,
	})
}

func loginPath(mount, usual string) string {
	if mount == "" {
		mount = usual
	}
	return "auth/" + strings.Trim(mount, "/") + "/login"
}
