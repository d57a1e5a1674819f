package stamp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

func suffixing(way config.RefreshWay) Options {
	inForce := &config.InForce{Refresh: config.Setting[config.RefreshWay]{Value: way}}
	return Options{Settings: &config.Settings{InForce: inForce}}
}

const plainExternal = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: store-db
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  target:
    name: db-creds # behind it
    creationPolicy: Owner
  data:
  - {secretKey: password, remoteRef: {key: db-creds, property: password}}
---
`

const readsCreds = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, labels: {app: db-creds}}
spec:
  selector: {matchLabels: {app: db-creds}}
  serviceName: db-creds
  template:
    spec:
      imagePullSecrets:
      - name: db-creds
      containers:
      - name: db-creds
        env:
        - name: A
          valueFrom: {secretKeyRef: {name: db-creds, key: password}}
        envFrom:
        - secretRef:
            name: "db-creds"
        - secretRef: {"name": 'other'}
        volumeMounts: [{name: db-creds, mountPath: /a}, {name: all, mountPath: /b}]
      volumes:
      - {name: db-creds, secret: {secretName: db-creds}}
      - name: all
        projected:
          sources:
          - secret:
              name: 'db-creds'
---
`

// nameIn returns the name that carries a digest in a text, "" where there is none or there are several.
func nameIn(text, base string) string {
	all := regexp.MustCompile(regexp.QuoteMeta(base)+`-[0-9a-f]{16}\b`).FindAllString(text, -1)
	for _, name := range all {
		if name != all[0] {
			return ""
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

func stampedText(t *testing.T, text string, opts Options) (string, *planned) {
	t.Helper()
	p, err := planOf(t, []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	out := string(bytesOf(t, p))
	again, err := planOf(t, []byte(out), opts)
	if err != nil || again.HasChanges() {
		t.Fatalf("stamping again changes something: %v\nonce:\n%s\ntwice:\n%s", err, out, bytesOf(t, again))
	}
	if len(findingsOf(again, diag.NotRenamed)) != len(findingsOf(p, diag.NotRenamed)) {
		t.Errorf("stamping again finds something else: %v, %v", again.Findings, p.Findings)
	}
	back, err := Unstamp(context.Background(), []byte(out), opts)
	if err != nil || string(back) != text {
		t.Fatalf("unstamp returns %v\n%s", err, back)
	}
	off, err := planOf(t, []byte(out), suffixing(config.RefreshOff))
	if opts.Resolver != nil {
		return out, p
	}
	never, err2 := planOf(t, []byte(text), suffixing(config.RefreshOff))
	if err != nil || err2 != nil || opts.Key == nil && string(bytesOf(t, off)) != string(bytesOf(t, never)) {
		t.Fatalf("another way does not restore the names: %v %v\n%s", err, err2, bytesOf(t, off))
	}
	return out, p
}

func TestASecretsNameCarriesItsDigestInEveryReference(t *testing.T) {
	t.Parallel()
	plainDigests, err := planOf(t, []byte(plainExternal+readsCreds), suffixing(config.RefreshOff))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{plainExternal + readsCreds, readsCreds + plainExternal} {
		out, p := stampedText(t, text, suffixing(config.RefreshSuffix))
		name := nameIn(out, "db-creds")
		if name == "" || strings.Count(out, name) != 6 || len(findingsOf(p, diag.NotRenamed)) > 0 {
			t.Fatalf("name %q, %v\n%s", name, p.Findings, out)
		}
		digest := strings.TrimPrefix(name, "db-creds-")
		if !strings.Contains(out, "\n    "+hashing.DefaultPrefix+"secret.db-creds: v1-"+digest) &&
			!strings.Contains(out, hashing.DefaultPrefix+"secret.db-creds: v1-"+digest) {
			t.Errorf("the ExternalSecret does not say so:\n%s", out)
		}
		if got := strings.ReplaceAll(out, name, "db-creds"); !strings.Contains(got, "    name: db-creds # behind it\n") ||
			!strings.Contains(got, `name: "db-creds"`) || !strings.Contains(got, `name: 'db-creds'`) {
			t.Errorf("more than the names changed:\n%s", out)
		}
		r, want := p.Workloads[0].References[0], plainDigests.Workloads[0].References[0]
		if r.Name != want.Name || r.Digest != want.Digest || r.Annotation != want.Annotation {
			t.Errorf("the digest is not that of the object's own name: %v, %v", r, want)
		}
	}
}

func TestANameThatIsNotWrittenIsInserted(t *testing.T) {
	t.Parallel()
	read := strings.ReplaceAll(reads("web", "user"), "name: db", "name: store-db")
	bare := strings.Replace(plainExternal, "  target:\n    name: db-creds # behind it\n    creationPolicy: Owner\n", "", 1)
	for name, text := range map[string]string{
		"no target":      bare + read,
		"a target":       strings.Replace(plainExternal, "    name: db-creds # behind it\n", "", 1) + read,
		"in brackets":    strings.Replace(bare, "  data:\n", "  target: {creationPolicy: Owner}\n  data:\n", 1) + read,
		"its own name":   strings.Replace(plainExternal, "db-creds #", `"store-db" #`, 1) + read,
		"JSON":           strings.ReplaceAll(`{"apiVersion":"external-secrets.io/v1","kind":"ExternalSecret","metadata":{"name":"store-db"},"spec":{"secretStoreRef":{"name":"s"},"data":[{"secretKey":"user","remoteRef":{"key":"x"}}]}}`+"\n---\n", "'", "") + read,
		"JSON, own name": `{"apiVersion":"external-secrets.io/v1","kind":"ExternalSecret","metadata":{"name":"store-db"},"spec":{"secretStoreRef":{"name":"s"},"target":{"name":"store-db"},"data":[{"secretKey":"user","remoteRef":{"key":"x"}}]}}` + "\n---\n" + read,
		"items of a List": asJSONText(t, object{"apiVersion": "v1", "kind": "List",
			"items": []any{object{"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
				"metadata": object{"name": "store-db"},
				"spec": object{"secretStoreRef": object{"name": "s"},
					"dataFrom": []any{object{"extract": object{"key": "x"}}}}}}}) + "---\n" + read,
	} {
		t.Run(name, func(t *testing.T) {
			out, p := stampedText(t, text, suffixing(config.RefreshSuffix))
			if name := nameIn(out, "store-db"); name == "" || strings.Count(out, name) != 2 {
				t.Errorf("name %q, %v\n%s", name, p.Findings, out)
			}
		})
	}
}

func TestANameStaysWhereItCannotBeChangedEverywhere(t *testing.T) {
	t.Parallel()
	ingress := "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {tls: [{secretName: db-creds}]}\n---\n"
	for name, text := range map[string]string{
		"an Ingress": plainExternal + readsCreds + ingress,
		"an annotation": plainExternal + readsCreds +
			"apiVersion: v1\nkind: Service\nmetadata: {name: x, annotations: {auth-secret: ns/db-creds}}\n---\n",
		"a custom resource": plainExternal + readsCreds +
			"apiVersion: example.org/v1\nkind: Database\nmetadata: {name: x}\nspec: {credentials: {name: db-creds}}\n---\n",
		"a key of one": plainExternal + readsCreds +
			"apiVersion: example.org/v1\nkind: Database\nmetadata: {name: x}\nspec: {users: {db-creds: {}}}\n---\n",
		"an argument": plainExternal +
			strings.Replace(readsCreds, "        env:\n", "        args: [\"--secret=db-creds\"]\n        env:\n", 1),
		"a value": plainExternal +
			strings.Replace(readsCreds, "        env:\n", "        env:\n        - {name: SECRET, value: db-creds}\n", 1),
		"a script": plainExternal + readsCreds +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  run: |\n    kubectl get secret db-creds -o yaml\n---\n",
		"a role": plainExternal + readsCreds +
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\nrules: [{resources: [secrets], resourceNames: [db-creds]}]\n---\n",
		"a ServiceAccount": plainExternal + readsCreds +
			"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\nimagePullSecrets: [{name: db-creds}]\n---\n",
		"a store": plainExternal + readsCreds +
			"apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: x}\nspec: {provider: {vault: {auth: {tokenSecretRef: {name: db-creds}}}}}\n---\n",
		"a Job": plainExternal + readsCreds +
			"apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: db-creds}}]}]}}}\n---\n",
		"one that is off": plainExternal + readsCreds +
			strings.Replace(strings.Replace(readsCreds, "{name: web,",
				"{name: off, annotations: {rollstamp.dev/mode: \"off\"},", 1), "serviceName: db-creds", "", 1),
		"live volumes": plainExternal +
			strings.Replace(readsCreds, "{name: web,", "{name: web, annotations: {rollstamp.dev/live-volumes: \"true\"},", 1),
		"Orphan":        strings.Replace(plainExternal, "Owner", "Orphan", 1) + readsCreds,
		"Merge":         strings.Replace(plainExternal, "Owner", "Merge", 1) + readsCreds,
		"CreateOrMerge": strings.Replace(plainExternal, "Owner", "CreateOrMerge", 1) + readsCreds,
		"a manifest": strings.Replace(plainExternal, "    creationPolicy: Owner",
			"    manifest: {apiVersion: v1, kind: Secret}", 1) + readsCreds,
		"two producers": plainExternal + strings.Replace(plainExternal, "store-db", "second", 1) + readsCreds,
		"copies": strings.Replace(plainExternal, "    creationPolicy: Owner",
			"    template: {metadata: {annotations: {reflector.v1.k8s.emberstack.com/reflection-allowed: \"true\"}}}", 1) +
			readsCreds,
		"a list of clones": plainExternal + readsCreds + policyOf("cloneList: {namespace: '{{x}}', kinds: [v1/Secret]}"),
		"clones of what External Secrets manages": plainExternal + readsCreds + policyOf("cloneList: {namespace: '{{x}}', kinds: [v1/Secret], "+
			"selector: {matchLabels: {reconcile.external-secrets.io/managed: 'true'}}}"),
		"of several namespaces": "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: db-creds}\nspec: {externalSecretSpec: {data: [{secretKey: password, remoteRef: {key: x}}]}}\n---\n" + readsCreds,
		"a very long name":      strings.ReplaceAll(plainExternal+readsCreds, "db-creds", strings.Repeat("long.", 48)),
		"a number":              strings.ReplaceAll(plainExternal+readsCreds, "db-creds", "1e"),
		"an anchor": plainExternal +
			strings.Replace(strings.Replace(readsCreds, "{name: db-creds, key", "{name: &n db-creds, key", 1), "'other'",
				"*n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planOf(t, []byte(text), suffixing(config.RefreshSuffix))
			if err != nil {
				t.Fatal(err)
			}
			annotated, err := planOf(t, []byte(text), suffixing(config.RefreshAnnotate))
			if err != nil {
				t.Fatal(err)
			}
			if string(bytesOf(t, p)) != string(bytesOf(t, annotated)) {
				t.Errorf("more than what annotate does:\n%s", bytesOf(t, p))
			}
			if len(findingsOf(p, diag.NotRenamed)) == 0 {
				t.Errorf("nothing is reported: %v", p.Findings)
			}
		})
	}
}

func TestANameGoesBackWhereSomethingElseMentionsItLater(t *testing.T) {
	t.Parallel()
	out, _ := stampedText(t, plainExternal+readsCreds, suffixing(config.RefreshSuffix))
	more := "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {tls: [{secretName: db-creds}]}\n"
	p, err := planOf(t, []byte(out+more), suffixing(config.RefreshSuffix))
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := planOf(t, []byte(plainExternal+readsCreds+more), suffixing(config.RefreshSuffix))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(bytesOf(t, p)), string(bytesOf(t, fresh)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestANameMovesWithAnyKeyAndWithNothingElse(t *testing.T) {
	t.Parallel()
	v := &versions{known: map[string]sources.Answer{"ClusterSecretStore/vault prod/db#password": {Version: "7"},
		"ClusterSecretStore/vault prod/db#user": {Version: "7"}}}
	opts := suffixing(config.RefreshSuffix)
	opts.Resolver = v
	text := external1 + reads("one", "user") + "---\n" + reads("two", "user", "password")
	first, _ := stampedText(t, text, opts)
	name := nameIn(first, "db")
	if name == "" || strings.Count(first, name) != 4 {
		t.Fatalf("name %q\n%s", name, first)
	}
	if same, _ := stampedText(t, strings.Replace(text, "  secretStoreRef:", "  refreshInterval: 5m\n  secretStoreRef:",
		1), opts); nameIn(same, "db") != name {
		t.Error("an interval moves the name")
	}
	v.known["ClusterSecretStore/vault prod/db#password"] = sources.Answer{Version: "8"}
	moved, err := planOf(t, []byte(first), opts)
	if err != nil {
		t.Fatal(err)
	}
	if to := nameIn(string(bytesOf(t, moved)), "db"); to == "" || to == name {
		t.Errorf("the name stays %q with another version of a key:\n%s", to, bytesOf(t, moved))
	}
}

func TestANameIsKeyedWhereAHashKeyIsGiven(t *testing.T) {
	t.Parallel()
	opts := suffixing(config.RefreshSuffix)
	unkeyed, _ := stampedText(t, plainExternal+readsCreds, opts)
	key, err := hashing.KeyFromBytes(redact.New([]byte("0123456789abcdef0123456789abcdef")), "a test")
	if err != nil {
		t.Fatal(err)
	}
	opts.Key = &key
	keyed, _ := stampedText(t, plainExternal+readsCreds, opts)
	name := nameIn(keyed, "db-creds")
	if name == "" || name == nameIn(unkeyed, "db-creds") ||
		!strings.Contains(keyed, "secret.db-creds: v1k-"+strings.TrimPrefix(name, "db-creds-")) {
		t.Errorf("name %q is not keyed:\n%s", name, keyed)
	}
}

func TestANameThatOnlyLooksLikeOneWithADigestIsItsOwn(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(plainExternal+readsCreds, "db-creds", "db-0123456789abcdef")
	out, _ := stampedText(t, text, suffixing(config.RefreshSuffix))
	if name := nameIn(out, "db-0123456789abcdef"); name == "" {
		t.Errorf("no digest after it:\n%s", out)
	}
}

// replaced returns a value with every string that is from as to.
func replaced(v any, from, to string) any {
	switch v := v.(type) {
	case string:
		if v == from {
			return to
		}
	case []any:
		for i := range v {
			v[i] = replaced(v[i], from, to)
		}
	case object:
		for k := range v {
			v[k] = replaced(v[k], from, to)
		}
	}
	return v
}

// randomReader is a workload that reads Secret creds in some of the ways there are.
func randomReader(r *rand.Rand, name string) object {
	ref := object{"name": "creds"}
	container := object{"name": "c"}
	spec := object{"containers": []any{container}}
	ways := []func(){
		func() { container["envFrom"] = []any{object{"secretRef": ref}} },
		func() {
			container["env"] = []any{object{"name": "A", "value": "x"},
				object{"name": "B", "valueFrom": object{"secretKeyRef": object{"name": "creds", "key": "a"}}}}
		},
		func() {
			spec["volumes"] = []any{object{"name": "creds", "secret": object{"secretName": "creds"}},
				object{"name": "p", "projected": object{"sources": []any{object{"secret": ref},
					object{"configMap": object{"name": "creds"}}}}}}
			container["volumeMounts"] = []any{object{"name": "creds", "mountPath": "/a"}, object{"name": "p", "mountPath": "/b"}}
		},
		func() { spec["imagePullSecrets"] = []any{object{"name": "other"}, ref} },
		func() {
			spec["initContainers"] = []any{object{"name": "creds", "envFrom": []any{object{"prefix": "P_", "secretRef": ref}}}}
		},
	}
	ways[r.IntN(3)]() // one that restarts
	for _, way := range ways {
		if r.IntN(3) == 0 {
			way()
		}
	}
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": name},
		"spec": object{"template": object{"metadata": object{"labels": object{"app": "creds"}}, "spec": spec}}}
}

func TestOnlyTheNamesChangeHoweverManifestsAreWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		external := object{"secretStoreRef": object{"name": "s"},
			"data": []any{object{"secretKey": "a", "remoteRef": object{"key": "creds"}}}}
		meta := object{"name": []string{"creds", "other"}[r.IntN(2)], "labels": object{"a": "creds"}}
		if r.IntN(2) == 0 {
			meta["annotations"] = object{"a": "b"}
		}
		if meta["name"] == "other" || r.IntN(2) == 0 {
			external["target"] = object{"name": "creds", "template": object{"type": "Opaque"}}
		}
		all := []any{object{"apiVersion": "external-secrets.io/v1beta1", "kind": "ExternalSecret", "metadata": meta,
			"spec": external}}
		for i := range 1 + r.IntN(3) {
			all = append(all, randomReader(r, fmt.Sprint("w", i)))
		}
		r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		var texts []string
		for _, o := range all {
			text := asJSONText(t, o.(object))
			if r.IntN(2) == 0 {
				y, err := kube.JSONToYAML([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				text = string(y)
			}
			texts = append(texts, text)
		}
		out, p := stampedText(t, strings.Join(texts, "---\n"), suffixing(config.RefreshSuffix))
		name := nameIn(out, "creds")
		if name == "" {
			t.Fatalf("seed %d: no name, %v\n%s", seed, p.Findings, out)
		}
		for i, text := range strings.Split(out, "---\n") {
			var was, is object
			if err := errors.Join(kube.Unmarshal([]byte(texts[i]), &was), kube.Unmarshal([]byte(text), &is)); err != nil {
				t.Fatal(err)
			}
			references(t, seed, was, is, name)
		}
	}
}

// references checks that each place of a Secret's name has the new one, and that all else is as it was but for stamps.
func references(t *testing.T, seed uint64, was, is object, name string) {
	t.Helper()
	if is["kind"] == "ExternalSecret" {
		spec := was["spec"].(object)
		if spec["target"] == nil {
			spec["target"] = object{}
		}
		spec["target"].(object)["name"] = name
	} else {
		pod := was["spec"].(object)["template"].(object)["spec"].(object)
		for _, list := range []string{"containers", "initContainers"} {
			for _, c := range items(pod[list]) {
				for _, e := range append(items(c.(object)["env"]), items(c.(object)["envFrom"])...) {
					replaced(e, "creds", name)
				}
			}
		}
		replaced(pod["imagePullSecrets"], "creds", name)
		for _, v := range items(pod["volumes"]) {
			replaced(v.(object)["secret"], "creds", name)
			for _, s := range items(at(v, "projected", "sources")) {
				replaced(s.(object)["secret"], "creds", name)
			}
		}
	}
	for _, o := range []object{was, is} {
		for _, path := range [][]string{{"metadata"}, {"spec", "template", "metadata"}} {
			if m, ok := at(o, path...).(object); ok {
				a, _ := m["annotations"].(object)
				for k := range a {
					if strings.HasPrefix(k, hashing.DefaultPrefix) {
						delete(a, k)
					}
				}
				if len(a) == 0 {
					delete(m, "annotations")
				}
			}
		}
	}
	if w, i := asJSONText(t, was), asJSONText(t, is); w != i {
		t.Fatalf("seed %d: want\n%s\ngot\n%s", seed, w, i)
	}
}

func items(v any) []any { list, _ := v.([]any); return list }

func at(v any, path ...string) any {
	for _, k := range path {
		m, _ := v.(object)
		v = m[k]
	}
	return v
}
