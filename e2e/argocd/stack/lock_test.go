package stack

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
)

// vaulted is an application whose Secret an operator makes of two keys of a store. Nobody asks the store here: rollstamp.lock says
// which versions there are.
const vaulted = `
-- .rollstamp.yaml --
secrets: {policy: lock}
-- rollstamp.lock --
schema 3
ClusterSecretStore/vault shop/api version 3
ClusterSecretStore/vault shop/db version 7
-- secret.yaml --
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data:
  - {secretKey: password, remoteRef: {key: shop/db, property: password}}
  - {secretKey: token, remoteRef: {key: shop/api}}
-- web.yaml --
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
-- caller.yaml --
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
`

// externalSecrets is the kind, as far as Argo CD needs it.
const externalSecrets = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "externalsecrets.external-secrets.io"},
"spec": {"group": "external-secrets.io", "scope": "Namespaced", "names": {"kind": "ExternalSecret", "plural": "externalsecrets"},
"versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`

func TestAnotherVersionInTheLockRollsWhatReadsThatKey(t *testing.T) {
	s := start(t, plugins["behind argocd-cmp-server"])
	s.apply(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", externalSecrets)
	s.api.Until(t, "ExternalSecrets are served", func() bool { return s.answers(s.url + "/apis/external-secrets.io/v1/externalsecrets") })
	repo := parts.Repository{Dir: parts.Tree(t, vaulted)}
	first := repo.Commit(t, "all")
	app := s.create(t, "vaulted", repo, ours)
	const secret = "/apis/external-secrets.io/v1/namespaces/vaulted/externalsecrets/database"
	s.controller.Until(t, "the ExternalSecret is there", func() bool { return s.answers(s.url + secret) })
	// The operator is not here; it would say the same.
	s.do(t, http.MethodPatch, secret+"/status", "application/merge-patch+json", []byte(`{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}`))
	app.settled(t, first)
	same(t, "at first", app.rollouts(t), map[string]int{"Deployment web": 1, "Deployment caller": 1})

	parts.WriteFile(t, filepath.Join(repo.Dir, "rollstamp.lock"), "schema 3\nClusterSecretStore/vault shop/api version 3\nClusterSecretStore/vault shop/db version 8\n")
	app.refresh(t, "normal", repo.Commit(t, "rotate"))
	same(t, "after a rotation", app.rollouts(t), map[string]int{"Deployment web": 2, "Deployment caller": 1})
	before := app.generations(t)
	app.refresh(t, "hard", app.status(t).Sync.Revision)
	same(t, "writes, after a hard refresh", app.generations(t), before)
}
