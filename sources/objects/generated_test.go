package objects

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestAServiceAsksForACertificateByAnAnnotation(t *testing.T) {
	t.Parallel()
	for _, annotation := range []string{servingCertificate, servingCertificateAlpha} {
		x := indexed(t, "", "apiVersion: v1\nkind: Service\nmetadata: {name: api, namespace: a, annotations: {"+annotation+": api-tls}}\n")
		o, source := x.Find(secret, "a", "api-tls")
		if o == nil || source != "Service/api" || show(read(x, o)) != "*~spec" {
			t.Errorf("%s: %v from %s", annotation, o, source)
		}
	}
	x := indexed(t, "", "apiVersion: v1\nkind: Service\nmetadata: {name: api, namespace: a, annotations: {a: b}}\n")
	if _, source := x.Find(secret, "a", "api"); source != Absent || len(x.Producers()) > 0 {
		t.Errorf("a Service without the annotation makes something: %s", source)
	}
}

func TestAnIngressAsksForCertificatesByAnAnnotation(t *testing.T) {
	t.Parallel()
	for annotation, want := range map[string]string{
		"cert-manager.io/cluster-issuer: x": "Ingress/web", "cert-manager.io/issuer: x": "Ingress/web",
		"kubernetes.io/tls-acme: 'true'": "Ingress/web", "kubernetes.io/tls-acme: 'false'": Absent, "a: b": Absent,
	} {
		x := indexed(t, "", "apiVersion: networking.k8s.io/v1\nkind: Ingress\n"+
			"metadata: {name: web, namespace: a, annotations: {"+annotation+"}}\nspec: {tls: [{secretName: one}, {secretName: two}]}\n")
		for _, name := range []string{"one", "two"} {
			if _, source := x.Find(secret, "a", name); source != want {
				t.Errorf("%s: %s is from %s, want %s", annotation, name, source, want)
			}
		}
	}
}

// What an operator generates is not generated where something else makes a Secret of that name.
func TestWhatIsGeneratedYields(t *testing.T) {
	t.Parallel()
	const cluster = "---\napiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: db, namespace: a}\nspec: {}\n"
	const external = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db-app, namespace: a}\n" +
		"spec: {secretStoreRef: {name: s}, data: [{secretKey: p, remoteRef: {key: k}}]}\n"
	const own = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db-app, namespace: a}\nstringData: {p: x}\n"
	for name, c := range map[string]struct{ text, source, keys string }{
		"alone": {cluster, "Cluster/db", "*~spec"}, "written twice": {cluster + cluster, "Cluster/db", "*~spec"},
		"before":     {cluster + external, "ExternalSecret/db-app", "p~spec"},
		"behind":     {external + cluster, "ExternalSecret/db-app", "p~spec"},
		"own before": {own + cluster, Stream, `p="x"`}, "own behind": {cluster + own, Stream, `p="x"`},
	} {
		x := indexed(t, "", c.text)
		o, source := x.Find(secret, "a", "db-app")
		if o == nil || source != c.source || show(read(x, o)) != c.keys {
			t.Errorf("%s: from %s: %s", name, source, show(read(x, o)))
		}
		for clash := range x.Clashes() {
			t.Errorf("%s: %s", name, clash)
		}
	}
}

func TestKeysThatTheClusterFillsInAreKnown(t *testing.T) {
	t.Parallel()
	for head, c := range map[string]struct{ keys, not []string }{
		"kind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: x}": {
			[]string{"token", "ca.crt", "namespace", "service-ca.crt"}, []string{"password"}},
		"kind: Secret\ntype: Opaque\nmetadata: {name: x}": {nil, []string{"token"}},
		"kind: ConfigMap\nmetadata: {name: x, annotations: {service.beta.openshift.io/inject-cabundle: 'true'}}": {
			[]string{"service-ca.crt"}, []string{"ca-bundle.crt"}},
		"kind: ConfigMap\nmetadata: {name: x, labels: {config.openshift.io/inject-trusted-cabundle: 'true'}}": {
			[]string{"ca-bundle.crt"}, []string{"service-ca.crt"}},
		"kind: ConfigMap\nmetadata: {name: x, labels: {config.openshift.io/inject-trusted-cabundle: 'false'}}": {
			nil, []string{"ca-bundle.crt"}},
		"kind: Secret\nmetadata: {name: x, annotations: {secret-generator.v1.mittwald.de/autogenerate: 'a,b'}}": {
			[]string{"a", "b"}, []string{"c", ""}},
		"kind: Secret\nmetadata: {name: x, annotations: {secret-generator.v1.mittwald.de/type: ssh-keypair}}": {
			[]string{"ssh-privatekey"}, []string{"auth"}},
	} {
		x := indexed(t, "", "apiVersion: v1\n"+head+"\n")
		o := x.Objects()[0]
		for _, key := range c.keys {
			if !o.IsFilled(key) {
				t.Errorf("%s: %s is missing", head, key)
			}
		}
		for _, key := range c.not {
			if o.IsFilled(key) {
				t.Errorf("%s: %s is filled in", head, key)
			}
		}
	}
}

func TestARuleNamesAFieldInQuotes(t *testing.T) {
	t.Parallel()
	rule := config.ProducerRule{Kind: "Service", Makes: "Secret"}
	if err := rule.Name.UnmarshalText([]byte(`{metadata.annotations["a.example.com/tls"]}-tls`)); err != nil {
		t.Fatal(err)
	}
	x := NewIndex(Options{Namespace: "a", Level: 1, Rules: []config.ProducerRule{rule}})
	indexOf(t, x, "apiVersion: v1\nkind: Service\nmetadata: {name: one, annotations: {a.example.com/tls: web}}\n---\n"+
		"apiVersion: v1\nkind: Service\nmetadata: {name: two}\n")
	if _, source := x.Find(secret, "a", "web-tls"); source != "Service/one" {
		t.Errorf("the Secret is from %s", source)
	}
	if _, source := x.Find(secret, "a", "two"); source != Absent {
		t.Errorf("a Service without the annotation makes a Secret of its own name: %s", source)
	}
	if u := x.UnnamedObjects(); len(u) != 1 || u[0].Object != "Service two" {
		t.Errorf("without a name are %+v", u)
	}
}

func TestWhatIsPushedToAClusterIsASecretThere(t *testing.T) {
	t.Parallel()
	const push = "apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: p, namespace: a}\nspec:\n" +
		"  secretStoreRefs: [{name: vault}, {name: cluster}]\n  selector: {secret: {name: s}}\n" +
		"  data: [{match: {secretKey: k, remoteRef: {remoteKey: made, property: k}}}, {match: {remoteRef: {remoteKey: made}}}, {match: {remoteRef: {remoteKey: kv/x}}}]\n"
	const store = "---\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: cluster, namespace: a}\n" +
		"spec: {provider: {kubernetes: {remoteNamespace: b}}}\n"
	const vault = "---\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: vault, namespace: a}\n" +
		"spec: {provider: {vault: {server: x}}}\n"
	for name, c := range map[string]struct{ text, namespace, name, source string }{
		"there":                  {push + store + vault, "b", "made", "PushSecret/p"},
		"the store first":        {store[4:] + "---\n" + push, "b", "made", "PushSecret/p"},
		"in its own namespace":   {push + store + vault, "a", "made", Absent},
		"to another store":       {push + vault, "b", "made", Absent},
		"to an unknown store":    {push, "b", "made", Absent},
		"without a namespace":    {push + store, "", "made", "PushSecret/p"},
		"what is no name":        {push + store, "b", "kv/x", Absent},
		"to the other namespace": {push + strings.Replace(store, "remoteNamespace: b", "auth: {}", 1), "default", "made", "PushSecret/p"},
	} {
		x := indexed(t, "", c.text)
		o, source := x.Find(secret, c.namespace, c.name)
		if source != c.source {
			t.Errorf("%s: from %s, want %s", name, source, c.source)
		}
		if o != nil && show(read(x, o)) != "*~spec" {
			t.Errorf("%s: %s", name, show(read(x, o)))
		}
		for clash := range x.Clashes() {
			t.Errorf("%s: %s", name, clash)
		}
	}
}
