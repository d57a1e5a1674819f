package stack

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// vaulted is a chart whose Secrets operators make of keys of a Vault: one by way of a SecretStore in its namespace, one
// by way of a VaultAuth. Which keys these are, a file with values says that the options of the plugin name.
const vaulted = `
-- .rollstamp.yaml --
secrets: {policy: lock}
context: [platform]
argocd: {helm: {valueFiles: [values-prod.yaml]}}
-- platform/stores.yaml --
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault}
spec: {provider: {vault: {server: "ADDRESS", path: secret, version: v2}}}
---
apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultConnection
metadata: {name: vault}
spec: {address: "ADDRESS"}
---
apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultAuth
metadata: {name: render}
spec: {vaultConnectionRef: vault, method: kubernetes, mount: kubernetes}
-- Chart.yaml --
apiVersion: v2
name: vaulted
version: 1.0.0
-- .helmignore --
platform
-- values.yaml --
stage: dev
-- values-prod.yaml --
stage: prod
-- templates/secret.yaml --
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {kind: SecretStore, name: vault}
  data:
  - {secretKey: password, remoteRef: {key: "shop/{{ .Values.stage }}/db", property: password}}
  - {secretKey: token, remoteRef: {key: "shop/{{ .Values.stage }}/api", property: password}}
-- templates/static.yaml --
apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultStaticSecret
metadata: {name: mail}
spec:
  vaultAuthRef: render
  mount: secret
  path: shop/{{ .Values.stage }}/mail
  type: kv-v2
  destination: {name: mail, create: true}
-- templates/web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: database, key: password}}}]
-- templates/caller.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: caller}
spec:
  selector: {matchLabels: {app: caller}}
  template:
    metadata: {labels: {app: caller}}
    spec:
      containers:
      - name: caller
        image: registry.example.com/caller:1
        env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: database, key: token}}}]
-- templates/mailer.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: mailer}
spec:
  selector: {matchLabels: {app: mailer}}
  template:
    metadata: {labels: {app: mailer}}
    spec:
      containers:
      - name: mailer
        image: registry.example.com/mailer:1
        envFrom: [{secretRef: {name: mail}}]
`

// operatorKind returns a kind of an operator, as far as Argo CD needs it.
func operatorKind(group, version, kind string) string {
	plural := strings.ToLower(kind) + "s"
	return strings.NewReplacer("GROUP", group, "VERSION", version, "KIND", kind, "PLURAL", plural).Replace(
		`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "PLURAL.GROUP"},
"spec": {"group": "GROUP", "scope": "Namespaced", "names": {"kind": "KIND", "plural": "PLURAL"},
"versions": [{"name": "VERSION", "served": true, "storage": true, "subresources": {"status": {}},
"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`)
}

// lock runs rollstamp lock in a folder, with the rights to ask a Vault, and returns what it prints.
func lock(t *testing.T, vault *parts.Vault, dir string) string {
	t.Helper()
	cmd := exec.Command(process.Rollstamp(t), "lock", ".", "--allow", "stores")
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "ROLLSTAMP_STORES=" + parts.Stores(t)},
		vault.Environ()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("lock: %v\n%s", err, out)
	}
	return string(out)
}

func TestAnotherVersionInTheLockRollsWhatReadsThatKey(t *testing.T) {
	vault := parts.StartVault(t)
	for _, key := range []string{"db", "api", "mail"} {
		vault.Put(t, "shop/prod/"+key, "password=canary-6c1d")
	}
	s := start(t, plugins["behind argocd-cmp-server"])
	s.Apply(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", operatorKind("external-secrets.io", "v1", "ExternalSecret"))
	s.Apply(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", operatorKind("secrets.hashicorp.com", "v1beta1", "VaultStaticSecret"))
	s.API.Until(t, "the operators' kinds are served", func() bool {
		return s.Serves("/apis/external-secrets.io/v1/externalsecrets") &&
			s.Serves("/apis/secrets.hashicorp.com/v1beta1/vaultstaticsecrets")
	})
	repo := folder.Repository{Dir: folder.New(t, strings.ReplaceAll(vaulted, "ADDRESS", vault.Address))}
	none := repo.Commit(t, "all but the lock")
	if out := lock(t, vault, repo.Dir); strings.Count(out, ": + ") != 3 || !strings.Contains(out, "SecretStore/vault shop/prod/db version 1") {
		t.Fatalf("locked\n%s", out)
	}
	first := repo.Commit(t, "lock")
	app := s.create(t, "vaulted", repo, ours)
	const secret = "/apis/external-secrets.io/v1/namespaces/vaulted/externalsecrets/database"
	s.controller.Until(t, "the ExternalSecret is there", func() bool { return s.Serves(secret) })
	// The operator is not here; it would say the same.
	s.Do(t, http.MethodPatch, secret+"/status", "application/merge-patch+json", []byte(`{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}`))
	app.settled(t, first)
	once := map[string]int{"Deployment web": 1, "Deployment caller": 1, "Deployment mailer": 1}
	same(t, "at first", app.rollouts(t), once)
	if none == first {
		t.Error("the lock was there before it was made")
	}

	for key, reader := range map[string]string{"db": "web", "mail": "mailer"} {
		vault.Put(t, "shop/prod/"+key, "password=canary-7d2e")
		app.refresh(t, "hard", app.status(t).Sync.Revision)
		same(t, "before the lock moves", app.rollouts(t), once)
		if out := lock(t, vault, repo.Dir); !strings.Contains(out, "shop/prod/"+key+" version 1 -> version 2") || strings.Contains(out, "canary") {
			t.Fatalf("after a rotation of %s:\n%s", key, out)
		}
		app.refresh(t, "normal", repo.Commit(t, "rotate "+key))
		once["Deployment "+reader]++
		same(t, "after a rotation of "+key, app.rollouts(t), once)
	}
	before := app.generations(t)
	app.refresh(t, "hard", app.status(t).Sync.Revision)
	same(t, "writes, after a hard refresh", app.generations(t), before)
	if text, err := os.ReadFile(filepath.Join(repo.Dir, "rollstamp.lock")); err != nil || strings.Contains(string(text), "canary") {
		t.Errorf("the lock is %s, %v", text, err)
	}
}
