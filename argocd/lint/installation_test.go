package lint_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
)

// found returns the findings of a text in a file, each as "severity: LINE message".
func found(t *testing.T, file, text string) (out []string) {
	t.Helper()
	all, err := lint.File(file, []byte(text), rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		out = append(out, fmt.Sprintf("%s: %d %s (%s)", f.Severity, f.Line, f.Message, f.Hint))
	}
	return out
}

// change is a change of what install prints, as a user may make it, and the finding that it has to have where it is.
type change struct {
	form, from, to string
	severity       diag.Severity
	want           string
}

// lineOf returns the line of a text in which a part of it ends.
func lineOf(text, part string) int {
	return strings.Count(text[:strings.Index(text, part)+len(strings.TrimRight(part, "\n"))], "\n") + 1
}

func TestChangesOfWhatInstallPrintsAreFoundAtTheirLines(t *testing.T) {
	forms := installed(t)
	const target = "- target:\n    group: apps\n    kind: Deployment\n"
	for _, c := range []change{
		// What kustomize refuses, and patches that fit nothing.
		{"kustomize", "\npatches:\n", "\npatch:\n", diag.Failure,
			"patch is no key, and kustomize refuses the file; did you mean patches?"},
		{"kustomize", "\nconfigMapGenerator:\n", "\nconfigMap:\n", diag.Failure,
			"configMap is no key, and kustomize refuses the file; did you mean configMapGenerator?"},
		{"kustomize", target, "- tgt:\n", diag.Failure, "patches[].tgt is no key, and kustomize refuses the file (Take it out, or write what there is: options, patch, path, target.)"},
		{"kustomize", target, "- target:\n    group: apps\n    kind: Deploymnt\n", diag.Failure, "target.kind: there is no kind Deploymnt"},
		{"kustomize", target, "- target:\n    group: apps\n    kind: Pod\n", diag.Warning, "target.kind: Pod is not the kind of the patch, which is Deployment"},
		{"kustomize", target, "- target:\n    kind: Deployment\n    group: extensions\n", diag.Warning, "target.group: extensions is not the group of the patch, which is apps"},
		{"kustomize", "kustomize.config.k8s.io/v1alpha1\n", "kustomize.config.k8s.io/v1beta1\n", diag.Failure,
			"apiVersion: want kustomize.config.k8s.io/v1alpha1, found"},
		{"kustomize", "k8s.io/v1alpha1\nkind: Component\n",
			"k8s.io/v1alpha1 # a\nkind: Kustomization\n", diag.Failure,
			"apiVersion: want kustomize.config.k8s.io/v1beta1, found"},

		// Files that lie elsewhere, or are folders.
		{"patch", "value: /etc/rollstamp/policy/policy.yaml", "value: /opt/rules/policy.yaml", diag.Failure,
			"nothing is mounted at /opt/rules/policy.yaml, but at /etc/rollstamp/policy: the policy file"},
		{"patch", "mountPath: /etc/rollstamp/policy\n",
			"mountPath: /etc/rollstamp/policy/policy.yaml\n", diag.Failure,
			"is a folder, because its mount has no subPath, and has to be the policy file (subPath: policy.yaml)"},
		{"patch", "mountPath: /etc/rollstamp/key\n", "mountPath: /etc/rollstamp/key/hash-key\n", diag.Failure,
			"has to be the file with the hash key (subPath: hash-key)"},
		{"patch", "config/plugin.yaml\n          subPath: plugin.yaml\n", "config/plugin.yaml\n", diag.Failure,
			"has to be the plugin's file (subPath: plugin.yaml)"},
		{"helm", "config/plugin.yaml\n      subPath: rollstamp.yaml\n", "config/plugin.yaml\n", diag.Failure,
			"has to be the plugin's file (subPath: rollstamp.yaml)"},
		{"patch", "value: /etc/rollstamp/policy/policy.yaml",
			"valu: /etc/rollstamp/policy/policy.yaml", diag.Warning,
			"containers[].env[].valu has no effect"},
		{"patch", "- name: ROLLSTAMP_POLICY\n          value:",
			"- name: ROLLSTAMP_POLICY # a\n          valu:", diag.Warning,
			"ROLLSTAMP_POLICY names no file"},
		{"patch", "- name: ROLLSTAMP_HASH_KEY_FILE\n          value:",
			"- name: ROLLSTAMP_HASH_KEY_FILE # a\n          valu:", diag.Failure,
			"ROLLSTAMP_HASH_KEY_FILE names no file, and each render is refused"},

		// Keys that nothing reads, those that belong elsewhere, and those that are called otherwise.
		{"patch", "    spec:\n      generate:", "    spec:\n      fancy: true\n      generate:", diag.Warning,
			"spec.fancy has no effect: there is no such key (Take it out, or write what there is: " +
				"discover, generate, init,"},
		{"patchserve", "livenessProbe:\n", "livenessProbe:\n          ports: []\n", diag.Warning,
			"containers[].livenessProbe.ports has no effect: there is no such key (Take it out, or write " +
				"what there is: exec,"},
		{"patchserve", "livenessProbe:\n          httpGet:\n", "livenessProbe:\n          http:\n", diag.Warning,
			"livenessProbe.http has no effect: there is no such key; did you mean httpGet?"},
		{"patch", "- name: rollstamp\n        image:",
			"- name: rollstamp\n        fancy: 1\n        image:", diag.Info,
			"containers[].fancy is no key that is known here, and has no effect unless a newer version has it"},
		{"patch", "secret:\n          secretName: rollstamp-hash-key",
			"secret:\n          name: rollstamp-hash-key", diag.Warning,
			"volumes[].secret.name has no effect: there is no such key (Take it out, or write what there " +
				"is: defaultMode,"},
		{"helm", "  cmp:\n", "  cmp:\n    fancy: 1\n", diag.Info, "configs.cmp.fancy is no key that is known here"},
		{"helm", "  extraContainers:", "  sidecarContainers:", diag.Warning,
			"repoServer.sidecarContainers has no effect: it is called extraContainers"},
		{"operator", "    sidecarContainers:", "    containers:", diag.Warning,
			"spec.repo.containers has no effect: it is called sidecarContainers"},
		{"operator", "  repo:\n", "  repo:\n    fancy: 1\n", diag.Info,
			"spec.repo.fancy is no key that is known here"},
	} {
		before := forms[c.form]
		text := strings.Replace(before, c.from, c.to, 1)
		if text == before {
			t.Fatalf("%s has no %q", c.form, c.from)
		}
		all := found(t, "f.yaml", text)
		isThere := func(f string) bool {
			return strings.HasPrefix(f, string(c.severity)+": ") && strings.Contains(f, c.want)
		}
		if !slices.ContainsFunc(all, isThere) {
			t.Errorf("%s with %q: want %s, got %v", c.form, c.to, c.want, all)
		}
		first, last := lineOf(text, strings.SplitAfter(c.to, "\n")[0]), lineOf(text, c.to)
		for _, f := range all {
			var line int
			if _, err := fmt.Sscanf(f[strings.Index(f, ": ")+2:], "%d", &line); err != nil {
				t.Fatal(err)
			}
			if isThere(f) && (line < first || line > last) {
				t.Errorf("%s with %q: %s is not in lines %d to %d", c.form, c.to, f, first, last)
			}
		}
	}
}

// indent returns a text with blanks in front of its lines.
func indent(text string, by int) string {
	blanks := strings.Repeat(" ", by)
	return blanks + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+blanks) + "\n"
}

// Values of the chart argo-cd are judged where an Application, a HelmRelease or a kustomization passes them on.
func TestValuesThatAnObjectPassesToTheChartAreChecked(t *testing.T) {
	right := installed(t)["helm"]
	wrong := strings.Replace(right, "ROLLSTAMP_CACHE_DIR", "ROLLSTAMP_CACH_DIR", 1)
	wrong = strings.Replace(wrong, "subPath: rollstamp.yaml", "subPath: rollstmp.yaml", 1)
	const spec = "spec:\n  project: default\n  destination: {name: in-cluster, namespace: argocd}\n  source:\n" +
		"    repoURL: https://argoproj.github.io/argo-helm\n    chart: argo-cd\n    targetRevision: 9.1.0\n"
	const app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: argocd}\n" + spec
	for name, c := range map[string]struct {
		head string
		by   int
	}{
		"a text":          {app + "    helm:\n      values: |\n", 8},
		"an object":       {app + "    helm:\n      valuesObject:\n", 8},
		"the plugin":      {app + "    plugin:\n      name: rollstamp\n      parameters:\n      - name: values\n        string: |\n", 10},
		"several sources": {strings.Replace(app, "source:\n    repoURL", "sources:\n  - repoURL", 1) + "    helm:\n      values: |\n", 8},
		"an ApplicationSet": {"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: argocds}\nspec:\n  template:\n" +
			indent(spec, 4) + "        helm:\n          valuesObject:\n", 12},
		"a HelmRelease":   {"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: argocd}\nspec:\n  values:\n", 4},
		"a kustomization": {"kind: Kustomization\nhelmCharts:\n- name: argo-cd\n  valuesInline:\n", 4},
		"a dependency":    {"argo-cd:\n", 2},
		"a HelmRelease of a chart that depends on it": {"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: argocd}\nspec:\n  values:\n    argo-cd:\n", 6},
	} {
		t.Run(name, func(t *testing.T) {
			if all := check(t, c.head+indent(right, c.by)); len(all) > 0 {
				t.Errorf("what install prints: %v", all)
			}
			text := c.head + indent(wrong, c.by)
			expect(t, check(t, text),
				fmt.Sprintf("%d sidecar-variable rollstamp reads no variable ROLLSTAMP_CACH_DIR", lineOf(text, "ROLLSTAMP_CACH_DIR")),
				fmt.Sprintf("%d sidecar-mount ConfigMap argocd-cmp-cm has no key rollstmp.yaml", lineOf(text, "rollstmp.yaml")))
		})
	}
}

// operations returns the component that install prints with its patch as a list of operations.
func operations(t *testing.T) string {
	t.Helper()
	text := installed(t)["kustomize"]
	head, patch, _ := strings.Cut(text, "  patch: |\n")
	_, containers, _ := strings.Cut(patch, "          - name: rollstamp\n")
	container, volumes, _ := strings.Cut(containers, "          volumes:\n")
	out := head + "  patch: |\n    - op: add\n      path: /spec/template/spec/containers/-\n      value:\n" +
		"            name: rollstamp\n" + container
	for _, volume := range strings.Split(volumes, "          - ")[1:] {
		out += "    - op: add\n      path: /spec/template/spec/volumes/-\n      value:\n            " + volume
	}
	return out
}

func TestPatchesThatAreOperationsAreChecked(t *testing.T) {
	right := operations(t)
	if all := check(t, right); len(all) > 0 {
		t.Errorf("what install prints, as operations: %v\n%s", all, right)
	}
	for _, c := range []change{
		{from: "ROLLSTAMP_CACHE_DIR", to: "ROLLSTAMP_CACH_DIR", want: "rollstamp reads no variable ROLLSTAMP_CACH_DIR"},
		{from: "subPath: plugin.yaml", to: "subPath: plugn.yaml", want: "ConfigMap rollstamp-plugin has no key plugn.yaml"},
		{from: "secretName: ", to: "secretNam: ", want: "volumes[].secret.secretNam has no effect"},
		{from: "kind: Deployment", to: "kind: Deploymnt", want: "target.kind: there is no kind Deploymnt"},
		{from: "containers/-", to: "container/-", want: "nothing is read at /spec/template/spec/container/-; did you mean /spec/template/spec/containers?"},
		{from: "spec/containers/-", to: "spec/containers/1/args", want: "what this operation changes is in another file"},
		{from: "spec/containers/-", to: "spec/initContainers/-", want: "an init container that serves a plugin never ends"},
	} {
		text := strings.Replace(right, c.from, c.to, 1)
		if all := check(t, text); len(all) != 1 || !strings.Contains(all[0], c.want) {
			t.Errorf("%s: want %s, got %v", c.to, c.want, all)
		}
	}
	// Volumes may come from another patch of the kustomization, or from files of their own.
	before, volumes, _ := strings.Cut(right, "    - op: add\n      path: /spec/template/spec/volumes/-\n")
	target, _, _ := strings.Cut(right[strings.Index(right, "- target:"):], "    - op: add\n")
	volumes = target + "    - op: add\n      path: /spec/template/spec/volumes/-\n" + volumes
	expect(t, check(t, before))
	expect(t, check(t, before+volumes))
	expect(t, check(t, before+strings.Replace(volumes, "name: rollstamp-tmp", "name: rollstamp-temp", 1)), fmt.Sprintf(
		"%d sidecar-mount volume \"rollstamp-tmp\" is not among the pod's volumes", lineOf(right, "name: rollstamp-tmp")))
	// So is such a patch in a file of its own.
	_, file, _ := strings.Cut(right, "  patch: |\n")
	file = strings.ReplaceAll(strings.TrimPrefix(file, "    "), "\n    ", "\n")
	expect(t, check(t, file))
	expect(t, check(t, strings.Replace(file, "ROLLSTAMP_POLICY", "ROLLSTAMP_POLCY", 1)),
		"4 sidecar-policy there is no policy file", "11 sidecar-variable rollstamp reads no variable ROLLSTAMP_POLCY")
}

// A container that starts with the others and stays is a sidecar wherever it stands.
func TestASidecarAmongTheInitContainersIsChecked(t *testing.T) {
	forms := installed(t)
	for form, list := range map[string]string{"patch": "containers", "helm": "extraContainers", "operator": "sidecarContainers"} {
		text := strings.Replace(forms[form], list+":", "initContainers:", 1)
		text = strings.Replace(text, "      - name: argocd-repo-server # stays the first, which kubectl logs and exec take\n", "", 1)
		i := strings.Index(text, "- name: rollstamp\n")
		by := strings.Repeat(" ", i-strings.LastIndex(text[:i], "\n")-1)
		native := strings.Replace(text, "- name: rollstamp\n", "- name: rollstamp\n"+by+"  restartPolicy: Always\n", 1)
		if all := found(t, "f.yaml", native); len(all) > 0 {
			t.Errorf("%s: %v", form, all)
		}
		wrong := strings.Replace(native, "ROLLSTAMP_CACHE_DIR", "ROLLSTAMP_CACH_DIR", 1)
		if all := found(t, "f.yaml", wrong); len(all) != 1 || !strings.Contains(all[0], "reads no variable ROLLSTAMP_CACH_DIR") {
			t.Errorf("%s with a misspelt variable: %v", form, all)
		}
		if all := found(t, "f.yaml", text); len(all) != 1 || !strings.Contains(all[0], "never ends, and the pod does not start") {
			t.Errorf("%s without restartPolicy: %v", form, all)
		}
	}
}

func TestAPolicyFileInASecretIsCheckedAndNotShown(t *testing.T) {
	text := installed(t)["patch"]
	text = strings.Replace(text, "configMap:\n          name: rollstamp-policy", "secret:\n          secretName: rollstamp-policy", 1)
	at := strings.LastIndex(text, "kind: ConfigMap")
	text = text[:at] + strings.NewReplacer("kind: ConfigMap", "kind: Secret", "\ndata:", "\nstringData:").Replace(text[at:])
	expect(t, check(t, text))
	for changed, want := range map[string]string{
		strings.Replace(text, "allow: []", "canary: [canary]", 1):           "sidecar-policy line 3 of policy.yaml is refused by each render",
		strings.Replace(text, "  policy.yaml:", "  polic.yaml:", 1):         "sidecar-policy /etc/rollstamp/policy/policy.yaml: Secret rollstamp-policy has no key policy.yaml",
		strings.Replace(text, "policy/policy.yaml", "rules/policy.yaml", 1): "sidecar-policy nothing is mounted at /etc/rollstamp/rules/policy.yaml, but at",
		strings.Replace(text, "\nstringData:", "\ndata:", 1):                "argocd-wrong-value data.policy.yaml is no base64",
		strings.Replace(text, "\nstringData:", "\nstringDta:", 1):           "argocd-unknown-key stringDta has no effect",
		text[:strings.Index(text, "\nstringData:")] + "\ndata:\n  policy.yaml: " +
			base64.StdEncoding.EncodeToString([]byte("allow: [canary]\n")) + "\n": "sidecar-policy line 1 of policy.yaml is refused by each render",
	} {
		all := check(t, changed)
		if !slices.ContainsFunc(all, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("want %s, got %v", want, all)
		}
		if shown := strings.Join(found(t, "f.yaml", changed), "\n"); strings.Contains(shown, "canary") {
			t.Errorf("a value of the Secret is shown: %s", shown)
		}
	}
}

// The hash key may come with a flag.
func TestTheHashKeyThatAFlagNamesIsTaken(t *testing.T) {
	forms := installed(t)
	without := func(text string) string {
		before, after, _ := strings.Cut(text, "        - name: ROLLSTAMP_HASH_KEY_FILE\n")
		_, after, _ = strings.Cut(after, "\n")
		return before + after
	}
	const file = "/etc/rollstamp/key/hash-key"
	serve := strings.Replace(without(forms["patchserve"]), "--name,", "--hash-key-file, "+file+", --name,", 1)
	expect(t, check(t, serve))
	expect(t, check(t, strings.Replace(serve, file, "/etc/key", 1)), fmt.Sprintf(
		"%d sidecar-hash-key /etc/key does not lie on a volume that is a Secret", lineOf(serve, "args: ")))
	expect(t, check(t, strings.Replace(without(forms["patch"]), "generate]", "generate, --hash-key-file, "+file+"]", 1)))
}

func TestAKustomizationWithoutAKindIsReadByTheNameOfItsFile(t *testing.T) {
	_, text, _ := strings.Cut(installed(t)["kustomize"], "kind: Component\n")
	if all := found(t, "argocd/kustomization.yaml", text); len(all) > 0 {
		t.Error(all)
	}
	wrong := strings.Replace(text, "ROLLSTAMP_CACHE_DIR", "ROLLSTAMP_CACH_DIR", 1)
	if all := found(t, "argocd/kustomization.yaml", wrong); len(all) != 1 || !strings.Contains(all[0], "ROLLSTAMP_CACH_DIR") {
		t.Error(all)
	}
}
