package main

import (
	"context"
	"strings"

	"google.golang.org/api/option"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores/aws"
	"github.com/rollstamp/rollstamp/sources/stores/azure"
	"github.com/rollstamp/rollstamp/sources/stores/fake"
	"github.com/rollstamp/rollstamp/sources/stores/file"
	"github.com/rollstamp/rollstamp/sources/stores/gcp"
	"github.com/rollstamp/rollstamp/sources/stores/kubernetes"
	"github.com/rollstamp/rollstamp/sources/stores/live"
	"github.com/rollstamp/rollstamp/sources/stores/vault"
	"github.com/rollstamp/rollstamp/sources/stores/webhook"
)

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

func (w *wiring) aws(t *live.Target) aws.Options {
	return aws.Options{
		Region: t.Fields["region"], Prefix: t.Fields["prefix"], Profile: string(t.Credentials.Profile),
		Role:     string(t.Credentials.AssumeRole),
		Endpoint: t.Fields["endpoint"], CAFile: t.CAFile, Values: w.req.Values, Wrap: live.Careful,
	}
}

func (w *wiring) awsSecrets(t *live.Target) (sources.Versions, error) {
	return aws.NewSecrets(context.Background(), w.aws(t))
}

func (w *wiring) awsParameters(t *live.Target) (sources.Versions, error) {
	return aws.NewParameters(context.Background(), w.aws(t))
}

func (w *wiring) gcp(t *live.Target) (sources.Versions, error) {
	o := gcp.Options{
		Project: t.Fields["projectID"], Location: t.Fields["location"],
		Fallback: t.Fields["secretVersionSelectionPolicy"] == "LatestOrFetch",
		Endpoint: t.Fields["endpoint"], CAFile: t.CAFile,
	}
	if path := string(t.Credentials.CredentialsFile); path != "" {
		from, err := gcp.File(path)
		if err != nil {
			return nil, err
		}
		o.Client = []option.ClientOption{from}
	}
	return gcp.New(context.Background(), o)
}

func (w *wiring) azure(t *live.Target) (sources.Versions, error) {
	client, err := live.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	return azure.New(azure.Options{URL: t.Fields["vaultUrl"], HTTP: client})
}

func (w *wiring) kubernetes(t *live.Target) (sources.Versions, error) {
	o := kubernetes.Options{
		Kubeconfig: string(t.Credentials.Kubeconfig), Context: string(t.Credentials.Context),
		Server: t.Fields["server.url"], CAFile: t.CAFile, Namespace: t.Fields["remoteNamespace"],
		Wrap: live.Careful,
	}
	if o.Kubeconfig == "" {
		token, err := w.token(t, "")()
		if err != nil {
			return nil, err
		}
		o.Token = token
	}
	return kubernetes.New(o)
}

func (w *wiring) fake(t *live.Target) (sources.Versions, error) {
	return fake.New(t.Fields["data"], w.values())
}

func (w *wiring) webhook(t *live.Target) (sources.Versions, error) {
	client, err := live.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	o := webhook.Options{
		URL: t.Fields["url"], Method: t.Fields["method"], Headers: t.Fields["headers"], Body: t.Fields["body"],
		JSONPath: t.Fields["result.jsonPath"],
		Values:   w.values(), HTTP: client,
	}
	if t.Own && (t.Credentials.TokenFile != "" || t.Credentials.TokenEnv != "") {
		o.Token = w.token(t, "")
	}
	return webhook.New(o)
}

func (w *wiring) file(t *live.Target) (sources.Versions, error) {
	return file.Folder{Path: t.Fields["path"], Values: w.values()}, nil
}

func (w *wiring) variables(t *live.Target) (sources.Versions, error) {
	return file.Variables{Prefix: t.Fields["prefix"], Lookup: config.NamedByOperator, Values: w.values()}, nil
}
