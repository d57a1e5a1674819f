package lint_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/install"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
)

var rules = lint.RulesFor("rollstamp")

// check returns a file's findings as "line code message".
func check(t *testing.T, text string) []string {
	t.Helper()
	return checkBy(t, rules, text)
}

func checkBy(t *testing.T, rules lint.Rules, text string) []string {
	t.Helper()
	found, err := lint.File("f.yaml", []byte(text), rules)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		if f.File != "f.yaml" || f.Severity == "" {
			t.Errorf("a finding without file or severity: %+v", f)
		}
		out = append(out, fmt.Sprintf("%d %s %s", f.Line, f.Code, f.Message))
	}
	return out
}

// expect holds the findings of a file against the beginnings that are wanted.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestWhatInstallPrintsHasNoFindings(t *testing.T) {
	for name, text := range installed(t) {
		t.Run(name, func(t *testing.T) { expect(t, check(t, text)) })
	}
}

// Of rollstamp's own image the user is known, and OpenShift sets another; of others it is not.
func TestTheUserOfAnotherImageIsToBeSet(t *testing.T) {
	text := strings.NewReplacer("runAsUser: 999", "", "registry.example/rollstamp:1", "registry.example/tools:1").
		Replace(installed(t)["kustomize"])
	expect(t, check(t, text), "62 sidecar-user no runAsUser is set: it is the image's, or OpenShift's")
}

// Taking any one line of security out of what install prints must be found, in each format: a check that cannot fail is
// none.
func TestEachLineThatTheSidecarNeedsIsMissed(t *testing.T) {
	for line, code := range map[string]diag.Code{
		"command: [/var/run/argocd/argocd-cmp-server]":          "sidecar-command",
		"runAsNonRoot: true":                                    "sidecar-user",
		"readOnlyRootFilesystem: true":                          "sidecar-privileges",
		"allowPrivilegeEscalation: false":                       "sidecar-privileges",
		"drop: [ALL]":                                           "sidecar-privileges",
		"mountPath: /tmp":                                       "sidecar-tmp",
		"mountPath: /var/run/argocd":                            "sidecar-mount",
		"mountPath: /home/argocd/cmp-server/plugins":            "sidecar-mount",
		"mountPath: /home/argocd/cmp-server/config/plugin.yaml": "sidecar-mount",
		"value: /etc/rollstamp/key/hash-key":                    "sidecar-hash-key",
		"mountPath: /etc/rollstamp/key":                         "sidecar-hash-key",
		"value: /etc/rollstamp/policy/policy.yaml":              "sidecar-policy",
		"cpu: 100m\n                memory: 256Mi":              "sidecar-resources",
		"command: [/usr/local/bin/rollstamp, argocd, generate]": "argocd-wrong-value",
		"image: registry.example/rollstamp:1.0.0":               "",
		"- name: rollstamp-tmp\n            emptyDir: {}":       "sidecar-mount",
		"- name: rollstamp-hash-key\n            secret:\n              secretName: rollstamp-hash-key": "sidecar-",
	} {
		text, err := install.Options{Format: install.Kustomize, Image: "registry.example/rollstamp:1.0.0",
			Name: "rollstamp"}.Text()
		if err != nil {
			t.Fatal(err)
		}
		cut := strings.Replace(string(text), line, "", 1)
		if cut == string(text) {
			t.Errorf("%q is not in the text", line)
			continue
		}
		got := check(t, cut)
		if code == "" {
			expect(t, got)
		} else if len(got) == 0 || !strings.Contains(got[0], " "+string(code)) {
			t.Errorf("without %q: %q, want %s", line, got, code)
		}
	}
}

func TestAPluginIsReadStrictly(t *testing.T) {
	const head = "apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata: {name: rollstamp}\n"
	const spec = head + "spec:\n  generate: {command: [/usr/local/bin/rollstamp, argocd, generate]}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing wrong": {spec, nil},
		"the API version": {strings.Replace(spec, "v1alpha1", "v1", 1),
			[]string{"1 argocd-wrong-value apiVersion"}},
		"a misspelt key": {spec + "  preserveFilemodes: true\n",
			[]string{"6 argocd-unknown-key spec.preserveFilemodes has no effect: there is no such key; did you mean preserveFileMode?"}},
		"another case": {spec + "  preservefilemode: true\n",
			[]string{"6 argocd-unknown-key spec.preservefilemode is read as preserveFileMode"}},
		"a key of older versions": {spec + "  lockRepo: true\n",
			[]string{"6 argocd-unknown-key spec.lockRepo has no effect: each render"}},
		"discovery, misspelt": {spec + "  discovery: {fileName: x}\n",
			[]string{"6 argocd-unknown-key spec.discovery has no effect: it is called discover"}},
		"the old place": {head + "generate: {command: [x]}\n",
			[]string{"1 argocd-wrong-value spec.generate.command is missing",
				"4 argocd-unknown-key generate has no effect: it belongs below spec"}},
		"a wrong type": {spec + "  provideGitCreds: 'yes'\n",
			[]string{"6 argocd-wrong-value spec.provideGitCreds: want true or false"}},
		"a command that is a text": {head + "spec:\n  generate: {command: x}\n",
			[]string{"5 argocd-wrong-value spec.generate.command is missing",
				"5 argocd-wrong-value spec.generate.command: want a list"}},
		"a key twice": {spec + "  version: a\n  version: b\n",
			[]string{"7 argocd-plugin-name", "7 argocd-wrong-value spec.version is given twice"}},
		"discovery": {spec + "  discover: {find: {glob: '**/x'}, fileName: y}\n",
			[]string{"6 argocd-discovery", "6 argocd-wrong-value discover: only fileName counts, not find.glob"}},
		"a version": {spec + "  version: 1.10\n",
			[]string{"6 argocd-plugin-name Applications have to name the plugin \"rollstamp-1.10\"",
				"6 argocd-wrong-value spec.version 1.10 is a number"}},
		"a command in one word": {head + "spec: {generate: {command: [rollstamp argocd generate]}}\n",
			[]string{"4 argocd-command spec.generate.command: \"rollstamp argocd generate\" is taken"}},
		"the tree's own program": {head + "spec: {generate: {command: [./x]}}\n",
			[]string{"4 argocd-command spec.generate.command: ./x is looked for in"}},
		"a pipe": {head + "spec: {generate: {command: [sh, -c], args: ['helm template . | x']}}\n",
			[]string{"4 argocd-command spec.generate: an error before the last |"}},
		"a pipe that fails": {head + "spec: {generate: {command: [bash, -c], args: ['set -o pipefail; a | b || exit 1']}}\n", nil},
		"not for Argo CD": {head + "spec: {generate: {command: [rollstamp, render]}}\n",
			[]string{"4 argocd-command spec.generate runs rollstamp render"}},
		"arguments alone": {spec + "  init: {args: [a]}\n",
			[]string{"6 argocd-wrong-value spec.init.args has no effect"}},
		"announcements": {spec + "  parameters: {static: [{name: a, collectionType: list}, {title: b}, {name: c, collectionType: map, string: x}]}\n", []string{"6 argocd-wrong-value a parameter of spec.parameters.static has no name", "6 argocd-wrong-value collectionType of a", "6 argocd-wrong-value the default of c"}},
		"no name": {strings.Replace(spec, "{name: rollstamp}", "{}", 1),
			[]string{"1 argocd-wrong-value metadata.name is missing"}},
		"a long name": {strings.Replace(spec, "rollstamp}", strings.Repeat("x", 80)+"}", 1),
			[]string{"3 argocd-wrong-value the name of the plugin's socket has 80 bytes; at most 70"}},
		"in a ConfigMap":         {"kind: ConfigMap\ndata:\n  plugin.yaml: |\n    kind: ConfigManagementPlugin\n    apiVersion: argoproj.io/v1alpha1\n    metadata: {name: rollstamp}\n    spec:\n      generate: {command: [x]}\n      lockrepo: true\n", []string{"9 argocd-unknown-key spec.lockrepo has no effect: each render has a copy of the repository for itself"}},
		"in values of the chart": {"configs:\n  cmp:\n    plugins:\n      rollstamp-v1:\n        discovery: {}\n        generate: {command: [x]}\n", []string{"5 argocd-unknown-key spec.discovery"}},
		"somebody else's plugin": {strings.Replace(head, "rollstamp", "vault", 1) +
			"spec:\n  lockRepo: true\n  version: v1\n  discover: {find: {command: [sh, -c, 'a | b']}}\n  generate: {command: x}\n",
			[]string{"5 argocd-wrong-value spec.generate.command is missing", "8 argocd-wrong-value spec.generate.command: want a list"}},
		"a plugin of another name that runs rollstamp": {strings.Replace(spec, "{name: rollstamp}", "{name: stamps}", 1) + "  lockRepo: true\n",
			[]string{"6 argocd-unknown-key spec.lockRepo"}},
		"somebody else's plugin in values of the chart": {"configs:\n  cmp:\n    plugins:\n      vault:\n        discover: {fileName: x}\n        generate: {command: [x], lockRepo: {}}\n", nil},
		"somebody else's sidecar": {"kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: vault\n        image: vault\n        command: [/var/run/argocd/argocd-cmp-server]\n" +
			"        volumeMounts:\n        - {name: tmp, mountPath: /tmp}\n        - {name: plugins, mountPath: /home/argocd/cmp-server/plugins}\n" +
			"        - {name: gone, mountPath: /home/argocd/cmp-server/config}\n",
			[]string{"6 input-skipped nothing here says that the container runs rollstamp: it is taken for another plugin's, " +
				"and not checked"}},
	} {
		t.Run(name, func(t *testing.T) { expect(t, check(t, c.text), c.want...) })
	}
}

func TestAnApplicationIsCheckedAgainstThePlugin(t *testing.T) {
	const head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  annotations: {argocd.argoproj.io/manifest-generate-paths: .}\nspec:\n"
	const plugin = head + "  source:\n    plugin:\n      name: rollstamp\n"
	const with = plugin + "      parameters:\n"
	long := strings.Repeat("x", 131_100)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing wrong": {with + "      - {name: valueFiles, array: [a.yaml]}\n      - {name: parameters.image.tag, string: x}\n", nil},
		"another plugin": {strings.Replace(with, "rollstamp", "other", 1) + "      - {name: x, string: z}\n",
			nil},
		"no plugin": {head + "  source: {helm: {}}\n", nil},
		"an unknown name": {with + "      - {name: valuesFiles, array: [a]}\n",
			[]string{"10 argocd-parameter there is no parameter \"valuesFiles\"; did you mean valueFiles?"}},
		"the wrong collection": {with + "      - {name: valueFiles, string: a}\n",
			[]string{"10 argocd-parameter parameter valueFiles is given as string; it takes array"}},
		"two collections": {with + "      - {name: values, string: a, map: {}}\n",
			[]string{"10 argocd-parameter parameter values has both string and map"}},
		"a text that is none in a patch": {with + "      - name: patches\n        array:\n        - '{path: a.yaml}'\n        - |\n          patch: '[]'\n          target:\n            name: y\n",
			[]string{"16 argocd-parameter parameter patches: want target.name to be of type string, found one of type bool: put it in quotes"}},
		"a version of no Helm": {with + "      - {name: releaseName, string: a}\n      - name: version\n        string: v5\n",
			[]string{"12 argocd-parameter version: \"v5\" is not a version of Helm: 3 or 4"}},
		"a version of neither": {with + "      - name: version\n        string: \"5\"\n",
			[]string{"11 argocd-parameter version: \"5\" is not a version of Helm: 3 or 4; a chart is refused with it"}},
		"a version of what is not known": {with + "      - {name: version, string: v5.4.3}\n", nil},
		"a version of kustomize":         {with + "      - {name: namePrefix, string: a}\n      - {name: version, string: v5.4.3}\n", nil},
		"an entry of a map": {with + "      - name: parameters\n        map:\n          a: b\n          a[x: c\n",
			[]string{"13 argocd-parameter parameters a[x: an index does not fit"}},
		"a misspelt name of a parameter": {with + "      - {nmae: values, string: a}\n      - {nmae: x, string: a}\n",
			[]string{"10 argocd-parameter a parameter has no name: the plugin refuses it",
				"10 argocd-unknown-key source.plugin.parameters[].nmae has no effect: there is no such key; did you mean name?",
				"11 argocd-parameter a parameter has no name: the plugin refuses it",
				"11 argocd-unknown-key source.plugin.parameters[].nmae has no effect"}},
		"a misspelt value": {with + "      - {name: values, vlaue: a}\n",
			[]string{"10 argocd-parameter parameter values has no value; it takes string",
				"10 argocd-unknown-key source.plugin.parameters[].vlaue has no effect: a text goes to string"}},
		"a misspelt name of the plugin": {head + "  source: {plugin: {nmae: rollstamp}}\n",
			[]string{"6 argocd-discovery the source does not name its plugin",
				"6 argocd-unknown-key source.plugin.nmae has no effect: there is no such key; did you mean name?"}},
		"misspelt keys of the Application": {strings.Replace(plugin, "spec:\n", "spec:\n  destination: {nam: a, fancy: b}\n", 1),
			[]string{"6 argocd-unknown-key spec.destination.fancy is no key that is known here",
				"6 argocd-unknown-key spec.destination.nam has no effect: there is no such key; did you mean name?"}},
		"no value": {with + "      - {name: values, value: a}\n",
			[]string{"10 argocd-parameter parameter values has no value",
				"10 argocd-unknown-key source.plugin.parameters[].value has no effect: a text goes to string"}},
		"a name twice": {with + "      - {name: values, string: \"a: 1\"}\n      - {name: values, string: \"b: 1\"}\n",
			[]string{"11 argocd-parameter parameter \"values\" is given twice, first in line 10"}},
		"no name": {strings.Replace(plugin, "      name: rollstamp\n", "      env: []\n", 1),
			[]string{"7 argocd-discovery the source does not name its plugin"}},
		"two types": {plugin + "    helm: {releaseName: x}\n",
			[]string{"9 argocd-two-source-types helm and plugin are both set"}},
		"a type that says nothing": {plugin + "    helm: {}\n    directory: {jsonnet: {}}\n    kustomize:\n", nil},
		"a type that says nothing in a dry source": {head + "  sourceHydrator:\n" +
			"    drySource: {helm: {}, kustomize: null, plugin: {name: rollstamp}}\n",
			[]string{"7 argocd-two-source-types helm and plugin are both set"}},
		"another plugin without a name": {head + "  source: {plugin: {parameters: [{name: x, array: [z]}]}}\n",
			[]string{"6 argocd-discovery the source does not name its plugin"}},
		"a source beside the list": {plugin + "  sources: [{path: x}]\n",
			[]string{"6 argocd-wrong-value source has no effect beside sources, which Argo CD reads"}},
		"a list beside a dry source": {head + "  sources: [{path: x, plugin: {name: rollstamp}}]\n" +
			"  sourceHydrator: {drySource: {path: x}}\n",
			[]string{"6 argocd-wrong-value sources has no effect beside sourceHydrator, which Argo CD reads"}},
		"a source beside an empty list":          {plugin + "  sources: []\n", nil},
		"somebody else's source beside the list": {head + "  source: {path: z}\n  sources: [{path: x}]\n", nil},
		"a misspelt key": {plugin + "      params: []\n",
			[]string{"9 argocd-unknown-key source.plugin.params has no effect: it is called parameters"}},
		"too long": {with + "      - {name: values, string: \"a: " + long + "\"}\n",
			[]string{"10 argocd-environment the parameters have 131"}},
		"a long variable": {plugin + "      env: [{name: X, value: " + long + "}]\n",
			[]string{"9 argocd-environment X has 131"}},
		"a variable of no one":  {plugin + "      env:\n      - {name: X, value: a$HOME}\n      - {name: Z, value: a$$HOME$ARGOCD_APP_NAME}\n", []string{"10 argocd-environment X: Argo CD expands names after a dollar sign"}},
		"no paths":              {"kind: Application\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: x}\nspec: {source: {plugin: {name: rollstamp}}}\n", []string{"3 argocd-generate-paths the annotation"}},
		"another source's file": {head + "  sources:\n  - {ref: v}\n  - plugin:\n      name: rollstamp\n      parameters: [{name: valueFiles, array: [$v/x.yaml, y.yaml]}]\n", []string{"10 argocd-ref-unreachable $v/x.yaml lies in another source"}},
		"a folder in its place": {head + "  sources:\n  - {ref: v}\n  - plugin:\n      name: rollstamp\n      parameters: [{name: refs, map: {v: ../v}}, {name: valueFiles, array: [$v/x.yaml]}]\n", nil},
		"empty is allowed": {plugin + "  syncPolicy: {automated: {prune: true, allowEmpty: true}}\n",
			[]string{"9 argocd-wrong-value allowEmpty with prune"}},
		"an ApplicationSet": {"kind: ApplicationSet\napiVersion: argoproj.io/v1alpha1\nspec:\n  template:\n    metadata: {annotations: {argocd.argoproj.io/manifest-generate-paths: .}}\n    spec: {source: {plugin: {name: rollstamp, parameters: [{name: x, string: z}, {name: '{{.name}}', string: z}]}}}\n", []string{"6 argocd-parameter there is no parameter \"x\""}},
	} {
		t.Run(name, func(t *testing.T) { expect(t, check(t, c.text), c.want...) })
	}
}

func TestASidecarIsTooOpen(t *testing.T) {
	const text = `kind: Deployment
apiVersion: apps/v1
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      securityContext: {runAsUser: 999, runAsNonRoot: true}
      containers:
      - name: argocd-repo-server
        image: argocd
        volumeMounts: [{name: tmp, mountPath: /tmp}, {name: plugins, mountPath: /home/argocd/cmp-server/plugins}]
      - name: one
        image: rollstamp
        command: [/var/run/argocd/argocd-cmp-server]
        resources: {requests: {cpu: 1}}
        env: [{name: ROLLSTAMP_HASH_KEY, value: key-in-plain-sight}, {name: ROLLSTAMP_POLICY, value: /tmp/policy.yaml}]
        volumeMounts:
        - {name: tmp, mountPath: /tmp}
        - {name: var-files, mountPath: /var/run/argocd}
        - {name: plugins, mountPath: /home/argocd/cmp-server/plugins}
        - {name: elsewhere, mountPath: /home/argocd/cmp-server/config}
      volumes: [{name: tmp}]
`
	got := check(t, text)
	expect(t, got,
		"12 sidecar-privileges the container may do more than it needs: its root file system is not read-only, it may gain privileges, it keeps capabilities",
		"12 sidecar-tmp the volume tmp is that of the repo-server",
		"13 sidecar-image image rollstamp names no version",
		"16 sidecar-hash-key the hash key is written in the manifest",
		"16 sidecar-policy /tmp/policy.yaml can be in the rendered tree",
		"21 sidecar-mount volume \"elsewhere\" is not among the pod's volumes",
	)
	for _, f := range got {
		if strings.Contains(f, "plain-sight") {
			t.Errorf("a finding shows the hash key: %s", f)
		}
	}
}

func TestSidecarsOfOtherPluginsAreNotJudged(t *testing.T) {
	const container = "{name: %s, image: 'quay.io/argoproj/argocd:v3.2.11', command: [/usr/local/bin/argocd-cmp-server]}"
	for _, frame := range []string{
		"kind: Deployment\napiVersion: apps/v1\nspec: {template: {spec: {containers: [\n%s]}}}\n",
		"kind: ArgoCD\napiVersion: argoproj.io/v1beta1\nspec: {repo: {sidecarContainers: [\n%s]}}\n",
		"# values of the chart\n\n\nrepoServer: {extraContainers: [%s]}\n",
	} {
		expect(t, check(t, fmt.Sprintf(frame, fmt.Sprintf(container, "other"))),
			"4 input-skipped nothing here says that the container runs rollstamp: it is taken for another plugin's, "+
				"and not checked")
	}
	// Of ours only what does not work for certain is an error.
	const frame = "kind: Deployment\napiVersion: apps/v1\nspec: {template: {spec: {containers: [\n%s]}}}\n"
	text := fmt.Sprintf(frame, fmt.Sprintf(container, "stamps"))
	found, err := lint.File("f.yaml", []byte(text), lint.RulesFor("stamps"))
	if err != nil {
		t.Fatal(err)
	}
	var failures []string
	for _, f := range found {
		if f.Severity == diag.Failure {
			failures = append(failures, f.Message)
		}
	}
	expect(t, failures, "nothing is mounted at /home/argocd/cmp-server/plugins")
}

// An image may hold the plugin's file, unless a ConfigMap is there that nobody mounts.
func TestThePluginsFileMayBeInTheImage(t *testing.T) {
	const pod = "kind: Deployment\napiVersion: apps/v1\nspec:\n  template:\n    spec:\n      containers:\n      " +
		"- {name: rollstamp, image: 'a/tools:1', command: [/var/run/argocd/argocd-cmp-server]}\n      volumes: [%s]\n"
	severity := func(volumes string) diag.Severity {
		found, err := lint.File("f.yaml", []byte(fmt.Sprintf(pod, volumes)), lint.RulesFor("rollstamp"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if strings.Contains(f.Message, "plugin.yaml") {
				return f.Severity
			}
		}
		t.Fatal("nothing is found")
		return ""
	}
	if got := severity(""); got != diag.Info {
		t.Errorf("without a ConfigMap: %s", got)
	}
	if got := severity("{name: plugin, configMap: {name: plugin}}"); got != diag.Failure {
		t.Errorf("with one: %s", got)
	}
}

func TestOfOtherPeoplesSetsNothingIsSaidToBeUnjudged(t *testing.T) {
	set := func(generators, source, patch string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  generators: [" + generators +
			"]\n  template: {metadata: {annotations: {argocd.argoproj.io/manifest-generate-paths: .}}, spec: {source: {" + source + "}}}\n" + patch
	}
	const asks, native = "{plugin: {configMapRef: {name: x}}}", "path: x, helm: {}"
	const unjudged = "5 argocd-not-looked-into asks a service"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a generator that is called plugin": {set(asks, native, ""), nil},
		"another plugin":                    {set(asks, "plugin: {name: vault}", ""), nil},
		"another plugin in a patch":         {set(asks, native, "  templatePatch: |\n    spec: {source: {plugin: {name: vault}}}\n"), nil},
		"ours":                              {set(asks, "plugin: {name: rollstamp}", ""), []string{unjudged}},
		"one that is filled in":             {set(asks, "plugin: {name: '{{ .plugin }}'}", ""), []string{unjudged}},
		"ours in a patch":                   {set(asks, native, "  templatePatch: |\n    spec:\n      source:\n        plugin:\n          name: rollstamp\n"), []string{unjudged}},
		"one that is filled into a patch":   {set(asks, native, "  templatePatch: |\n    {\"plugin\": {\"name\": \"{{ .p }}\"}}\n"), []string{unjudged}},
		"ours in a generator's template": {set("{plugin: {configMapRef: {name: x}, template: {spec: {source: {plugin: {name: rollstamp}}}}}}", native, ""),
			[]string{unjudged}},
		"ours in a nested generator": {set("{matrix: {generators: [{list: {template: {spec: {source: {plugin: {name: rollstamp}}}}}}]}}", native, ""),
			[]string{unjudged}},
	} {
		t.Run(name, func(t *testing.T) {
			with := rules
			with.Looked = map[string]*lint.Looked{"ApplicationSet s": {Unjudged: []lint.Unjudged{{Err: errors.New("asks a service"), Unknown: true}}}}
			expect(t, checkBy(t, with, c.text), c.want...)
		})
	}
}

func TestCircularMergesEnd(t *testing.T) {
	got := check(t, "kind: Deployment\napiVersion: apps/v1\nspec: &a\n  <<: *a\n  template: {spec: {containers: [&c {<<: *c, image: rollstamp}]}}\n")
	if len(got) == 0 {
		t.Error("nothing was found")
	}
}

func TestAFileWithNothingToCheckIsAFinding(t *testing.T) {
	expect(t, check(t, "kind: Service\n"), "0 input-skipped it holds no plugin, Application or sidecar")
	expect(t, check(t, ""), "0 input-skipped")
}

func TestAFileThatIsNoYAMLIsAnErrorWithItsLineAndWithoutItsText(t *testing.T) {
	_, err := lint.File("f.yaml", []byte("a: 1\nb: *canary\n"), rules)
	if diag.ExitOf(err) != diag.ExitInput || strings.Contains(err.Error(), "canary") {
		t.Errorf("an unknown alias: %v", err)
	}
	for text, want := range map[string]string{
		"a: 1\nb: [\n": "f.yaml:2: ", "a: 1\nb: {c\nd: 1\n": "f.yaml:2: ", "a: 1\nb: {{ .c }}-d\n": "f.yaml:2: ",
	} {
		_, err = lint.File("f.yaml", []byte(text), rules)
		isTemplate := strings.Contains(diag.HintOf(err), "put quotes around what is filled in later")
		if diag.ExitOf(err) != diag.ExitInput || !strings.HasPrefix(err.Error(), want) ||
			isTemplate != strings.Contains(text, "{{") || strings.Contains(err.Error()+diag.HintOf(err), "canary") {
			t.Errorf("%q: %v, with the hint %s", text, err, diag.HintOf(err))
		}
	}
}

func TestAChartOfARegistryNeedsNoPaths(t *testing.T) {
	const text = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n" +
		"  source: {repoURL: https://charts.example.org, %s: web, plugin: {name: rollstamp}}\n"
	expect(t, check(t, fmt.Sprintf(text, "chart")))
	expect(t, check(t, fmt.Sprintf(text, "path")), "3 argocd-generate-paths")
}
