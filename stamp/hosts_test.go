package stamp_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/stamp"
)

// hostAnnotations are those by which kustomize, kpt and Helm 4 know the objects that they hand out.
const hostAnnotations = "    internal.config.kubernetes.io/id: '7'\n    internal.config.kubernetes.io/index: '7'\n" +
	"    internal.config.kubernetes.io/path: a.yaml\n    internal.config.kubernetes.io/previousNames: a\n" +
	"    config.kubernetes.io/index: '7'\n    config.kubernetes.io/path: a.yaml\n    config.k8s.io/id: '7'\n" +
	"    kustomize.config.k8s.io/id: |\n      kind: A\n    postrenderer.helm.sh/postrender-filename: a.yaml\n"

// Each produces, or is, what a workload reads by the name "it".
var hosted = []string{
	"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: it\n%data: {A: b}\n",
	"apiVersion: v1\nkind: Secret\nmetadata:\n  name: it\n%data: {A: Yg==}\n",
	"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: it\n%spec:\n  data: [{secretKey: A, remoteRef: {key: a}}]\n",
	"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: it\n%spec:\n  encryptedData: {A: AgBy3i4OJSWK}\n",
	"apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata:\n  name: a\n%spec:\n  secretName: it\n  dnsNames: [example.com]\n",
	"apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultStaticSecret\nmetadata:\n  name: a\n%spec:\n  mount: kv\n  path: a\n" +
		"  type: kv-v2\n  destination: {name: it, create: true}\n",
	"apiVersion: onepassword.com/v1\nkind: OnePasswordItem\nmetadata:\n  name: it\n%spec:\n  itemPath: vaults/a/items/b\n",
}

const readsIt = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers:\n" +
	"      - {name: c, envFrom: [{KINDRef: {name: it}}]}\n"

// stampsOf returns the lines of a stamped text that hold digests.
func stampsOf(t *testing.T, text string) string {
	t.Helper()
	out, _, err := stamp.Bytes(t.Context(), []byte(text), stamp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stamps []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "checksum.rollstamp.dev/") {
			stamps = append(stamps, line)
		}
	}
	return strings.Join(stamps, "")
}

func TestAnnotationsOfHostsArePartOfNoDigest(t *testing.T) {
	for _, object := range hosted {
		kind := "secret"
		if strings.Contains(object, "kind: ConfigMap") {
			kind = "configMap"
		}
		text := object + strings.Replace(readsIt, "KIND", kind, 1)
		bare := stampsOf(t, strings.Replace(text, "%", "", 1))
		with := stampsOf(t, strings.Replace(text, "%", "  annotations:\n"+hostAnnotations, 1))
		if bare == "" || bare != with {
			t.Errorf("%s: without them %q, with them %q", object, bare, with)
		}
	}
}

func TestHooksThatHelmHandsOverAreStampedOnRequest(t *testing.T) {
	const file = "postrenderer.helm.sh/postrender-filename: web/a.yaml"
	object := strings.Replace(hosted[0], "%", "", 1) + strings.Replace(readsIt, "KIND", "configMap", 1)
	for annotations, stamped := range map[string]bool{
		file: true, "helm.sh/hook: test": true, file + ", helm.sh/hook: test": false,
		file + ", helm.sh/hook: test, rollstamp.dev/mode: 'on'": true,
	} {
		text := strings.Replace(object, "{name: web}", "{name: web, annotations: {"+annotations+"}}", 1)
		if got := stampsOf(t, text) != ""; got != stamped {
			t.Errorf("%s: stamped is %v", annotations, got)
		}
	}
}

func TestWhatIsRolledByNameGetsAStampOnRequest(t *testing.T) {
	const marked = "internal.config.kubernetes.io/needsHashSuffix: enabled"
	object := hosted[0] + strings.Replace(readsIt, "KIND", "configMap", 1)
	for annotations, stamped := range map[string]bool{
		marked: false, strings.Replace(marked, "enabled", "disabled", 1): true, marked + ", rollstamp.dev/ignore: 'false'": true,
	} {
		text := strings.Replace(object, "%", "  annotations: {"+annotations+"}\n", 1)
		if got := stampsOf(t, text) != ""; got != stamped {
			t.Errorf("%s: stamped is %v", annotations, got)
		}
	}
	// One that it had goes.
	text := strings.Replace(object, "%", "  annotations: {"+marked+"}\n", 1)
	text = strings.Replace(text, "  template:\n", "  template:\n    metadata: {annotations: {checksum.rollstamp.dev/configmap.it: v1-0}}\n", 1)
	if got := stampsOf(t, text); got != "" {
		t.Errorf("it stays: %s", got)
	}
}
