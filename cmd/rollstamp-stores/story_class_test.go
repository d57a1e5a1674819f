package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// classStory is a provider of the CSI driver, from a SecretProviderClass to the stamp.
type classStory struct {
	story          // provider is what comes below the class's spec, with objects for the secrets db and api in this order
	object  string // the name of the object that is made a Secret of, which comes from db
	lines   []string
	address string // from the manifest, which is not asked unlisted; "" where none stands there
}

var classStories = map[string]classStory{
	"vault": {
		story: story{
			serve: vaultAt, rule: "  addresses: [$URL]\n  caFile: $CA\n  credentials: {tokenFile: \"$DIR/token\"}\n",
			provider: `{provider: vault, parameters: {roleName: shop, vaultAddress: "$URL", objects: "OBJECTS"}, `,
			denied:   `permission denied \(HTTP 403\)`, asks: []string{"mounts", "read"},
		},
		object:  `- {objectName: one, secretPath: kv/data/db, secretKey: password}\n- {objectName: two, secretPath: /v1/kv/data/api}`,
		lines:   []string{"kv/data/api version 1", "kv/data/db version 3"},
		address: "$URL",
	},
	"azure": {
		story: story{
			serve: azureAt(false), rule: "  fields: {vaultUrl: $URL}\n  caFile: $CA\n",
			provider: `{provider: azure, parameters: {keyvaultName: shop, objects: "OBJECTS"}, `,
			denied:   `permission denied \(HTTP 403\)`, asks: []string{"versions of keys", "versions of secrets"},
		},
		object:  `array:\n- |\n  objectName: db\n  objectAlias: one\n  objectType: secret\n- |\n  objectName: api\n  objectType: key\n  objectVersion: latest`,
		lines:   []string{"key/api version " + azureVersion("api", 1), "secret/db version " + azureVersion("db", 3)},
		address: "https://shop.vault.azure.net",
	},
	"aws, with two services": {
		story: story{
			serve: awsBothAt, provider: `{provider: aws, parameters: {region: eu-central-1, objects: "OBJECTS"}, `,
			denied: `permission denied \(AccessDeniedException\)`, asks: []string{"AmazonSSM.DescribeParameters", "secretsmanager.DescribeSecret"},
		},
		object: `- {objectName: db, objectType: secretsmanager, objectAlias: one, jmesPath: [{path: a, objectAlias: b}]}\n- {objectName: api, objectType: ssmparameter}\n- {objectName: db, objectType: secretsmanager, objectAlias: old, objectVersion: 00000000-0000-4000-8000-000000000001}`,
		lines:  []string{"secretsmanager/db version " + awsVersion("db", 3), "ssmparameter/api version 1"},
	},
	"gcp": {
		story: story{
			serve: gcpAt(true), rule: "  fields: {endpoint: $URL}\n  caFile: $CA\n",
			provider: `{provider: gcp, parameters: {secrets: "OBJECTS"}, `,
			denied:   `permission denied \(gRPC PermissionDenied\)`, asks: []string{"GetSecretVersion"},
		},
		object: `- {resourceName: projects/shop-1/secrets/db/versions/latest, path: one}\n- {resourceName: projects/shop-1/secrets/api/versions/latest, fileName: two}\n- {resourceName: projects/shop-1/secrets/api/versions/7, fileName: three}`,
		lines:  []string{"projects/shop-1/secrets/api version 1", "projects/shop-1/secrets/db version 3"},
	},
}

// awsBothAt serves both of AWS's services at one endpoint.
func awsBothAt(t *testing.T, s *shelf) place {
	secrets, parameters := &awsStory{s, "secretsmanager", secretsManager}, &awsStory{s, "ssm", parameterStore}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSSM") {
			parameters.ServeHTTP(w, r)
			return
		}
		secrets.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return place{env: []string{"AWS_ACCESS_KEY_ID=" + awsKey, "AWS_SECRET_ACCESS_KEY=" + s.canary, "AWS_EC2_METADATA_DISABLED=true", "AWS_ENDPOINT_URL=" + server.URL}}
}

const classes = `apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: store, namespace: shop}
spec: PROVIDER secretObjects: [{secretName: made, type: Opaque, data: [{objectName: one, key: password}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: mounts, namespace: shop}
spec:
  template:
    spec:
      containers: [{name: c, image: c:1, volumeMounts: [{name: class, mountPath: /class}]}]
      volumes: [{name: class, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: store}}}]
---
`

// TestEveryProviderOfTheDriverIsAskedFromManifestToStamp goes the whole way, as the stories of ExternalSecrets do.
func TestEveryProviderOfTheDriverIsAskedFromManifestToStamp(t *testing.T) {
	programs := built(t)
	for name, s := range classStories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tellClass(t, programs, s)
		})
	}
}

func tellClass(t *testing.T, programs string, s classStory) {
	s.version = number // there are versions
	address := s.address
	a := begin(t, programs, s.story, func(fill *strings.Replacer) string {
		address = fill.Replace(address)
		provider := strings.Replace(fill.Replace(s.provider), "OBJECTS", s.object, 1)
		return strings.Replace(classes, "PROVIDER", provider, 1) + strings.ReplaceAll(workload, "NAME", "made")
	})
	for _, name := range []string{"db", "db", "db", "api"} {
		a.shelf.put(name)
	}

	// Nobody is asked unasked: the manifest counts, and a finding reports the way to have it otherwise.
	manifest := a.run(0, "render", "app")
	live, errs, code := a.exec("render", "app", "--secrets", "live")
	if asked, _ := a.shelf.requests(); live != manifest || code != 0 || len(asked) > 0 || strings.Count(errs, "[version-not-asked]") != 1 || !strings.Contains(errs, "because secrets.ask does not list SecretProviderClass") {
		t.Fatalf("asked for %q, ended with %d\n%s%s", asked, code, live, errs)
	}
	a.write(filepath.Join(a.dir, "app/.rollstamp.yaml"), "secrets: {ask: [SecretProviderClass]}\n")
	if now := a.run(0, "render", "app"); now != manifest {
		t.Errorf("under spec it was\n%s\nand is\n%s", manifest, now)
	}

	// The lock has a line for each place, and nothing is asked for but what reports versions.
	a.run(0, "lock", "app")
	want := slices.Clone(s.lines)
	for i := range want {
		want[i] = "SecretProviderClass/shop/store " + want[i]
	}
	if got := a.lock(); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if asked, _ := a.shelf.requests(); !slices.Equal(asked, s.asks) {
		t.Errorf("asked for %q, want %q", asked, s.asks)
	}
	locked := a.run(0, "render", "app", "--secrets", "lock")
	if asked, _ := a.shelf.requests(); len(asked) > 0 || locked == manifest {
		t.Errorf("asked for %q with the lock:\n%s", asked, locked)
	}
	if live, errs, _ := a.exec("render", "app", "--secrets", "live"); live != locked || errs != "" {
		t.Errorf("locked:\n%s\nlive:\n%s%s", locked, live, errs)
	}

	// A rotation restarts what reads it, and no more.
	for name, restarts := range map[string]string{"api": "restarts Deployment shop/mounts of app\n", "db": "restarts Deployment shop/mounts of app\nrestarts Deployment shop/reads-made of app\n"} {
		a.shelf.put(name)
		if out := a.run(1, "lock", "app", "--check"); strings.Count(out, "\n") != 1+strings.Count(restarts, "\n") || !strings.HasSuffix(out, restarts) {
			t.Errorf("after a rotation of %s:\n%s", name, out)
		}
		a.run(0, "lock", "app")
	}

	a.shelf.deny(true)
	a.fails(`SecretProviderClass shop/store: app/app.yaml:1: look up SecretProviderClass/shop/store .*: ` + s.denied)
	a.shelf.deny(false)
	a.shelf.remove("db")
	a.fails("SecretProviderClass shop/store: .*db(#password)?: not found")
	if asked, _ := a.shelf.requests(); slices.ContainsFunc(
		asked,
		func(o string) bool { return !slices.Contains(s.asks, o) },
	) {
		t.Errorf("asked for %q", asked)
	}
	if address == "" {
		return
	}

	// An address of the manifest is not asked unless the operator has listed it.
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	a.write(policy, "allow: [stores]\n")
	a.env = append(a.env, "ROLLSTAMP_POLICY="+policy)
	out, errs, code := a.exec("render", "app", "--secrets", "live")
	if asked, _ := a.shelf.requests(); out != "" || code != int(diag.ExitUsage) || !strings.Contains(errs, "address not listed by the operator ("+address+";") || len(asked) > 0 {
		t.Errorf("asked for %q, ended with %d\n%s%s", asked, code, out, errs)
	}
}
