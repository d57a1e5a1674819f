package krm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/krm"
	"github.com/rollstamp/rollstamp/manifest"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

func TestWhatIsNoResourceListIsAnErrorAtItsLine(t *testing.T) {
	const item = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: %, annotations: {config.k8s.io/id: '1'}}}\n"
	for text, want := range map[string]string{
		"":                                  "-:1: read a ResourceList: the input is none",
		"apiVersion: v1\nkind: ConfigMap\n": "-:1: read a ResourceList: the input is none",
		head + "---\n" + head:               "read a ResourceList: there are several documents",
		"apiVersion: config.kubernetes.io/v2\nkind: ResourceList\nitems: []\n": `-:1: read a ResourceList: its version is "config.kubernetes.io/v2"`,
		"kind: ResourceList\napiVersion: v1\n":                                 `-:2: read a ResourceList: its version is "v1"`,
		head + "items: {a: b}\n":                                               "-:3: read a ResourceList: items is no list",
		head + "items:\n- apiVersion: v1\n":                                    "-:4: read a ResourceList: item 0 has no kind and apiVersion",
		head + "items:\n" + strings.Replace(item, "%", "a", 1) + strings.Replace(item, "%", "b", 1): "-:5: read a ResourceList: " +
			`ConfigMap a and ConfigMap b both have the id "1"`,
		head + "items: []\nitems:\n- {apiVersion: v1, kind: ConfigMap}\n": `-:4: read a ResourceList: "items" is written twice`,
		head + "items: []\nfunctionConfig: {}\n'functionConfig': {}\n":    `-:5: read a ResourceList: "functionConfig" is written twice`,
		head + "items: [\n": "-:3: parse YAML",
	} {
		_, err := krm.Parse([]byte(text))
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		if !strings.HasPrefix(err.Error(), want) || diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if diag.HintOf(err) == "" && !strings.Contains(want, "parse YAML") {
			t.Errorf("%q: %v has no next step", text, err)
		}
	}
}

func TestAFileWithoutAnObjectStaysInTheList(t *testing.T) {
	const text = head + "items:\n" +
		"- metadata: {annotations: {internal.config.kubernetes.io/path: kustomization.yaml}}\n  resources: [web.yaml]\n" +
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: web.yaml}}}\n"
	list, err := krm.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := list.Answer(nil, nil); err != nil || string(out.Bytes()) != text {
		t.Errorf("%q, %v", out.Bytes(), err)
	}
	_, err = krm.Parse([]byte(text + "- kind: Secret\n"))
	if err == nil || !strings.Contains(err.Error(), "item 2 has no kind and apiVersion") {
		t.Error(err)
	}
}

func TestBothVersionsAreReadAndAnEmptyListStays(t *testing.T) {
	for _, items := range []string{"items: []\n", "items:\n", ""} {
		for _, version := range []string{"v1", "v1beta1"} {
			text := "apiVersion: config.kubernetes.io/" + version + "\nkind: ResourceList\n" + items
			list, err := krm.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			out, err := list.Answer(nil, nil)
			if err != nil || string(out.Bytes()) != text {
				t.Errorf("%q: %q, %v", text, out.Bytes(), err)
			}
		}
	}
}

func TestSettingsOfTheFunctionConfigKeepTheirLines(t *testing.T) {
	const stamp = "apiVersion: rollstamp.dev/v1\n  kind: Stamp\n"
	for config, want := range map[string]string{
		"functionConfig:\n  " + stamp + "  metadata: {name: a}\n  spec:\n    level: 1\n    failOn: error\n": "\n\n\n\n    level: 1\n    failOn: error\n",
		"functionConfig:\n  " + stamp + "  spec: {level: 1}\n":                                              "\n\n{level: 1}",
		"functionConfig:\n  " + stamp: "",
		"functionConfig:\n":           "",
		"":                            "",
		"functionConfig: &a\n  " + stamp + "  spec:\n    level: 1\n": "\n\n\nlevel: 1\n",
		"functionConfig: {apiVersion: v1, kind: ConfigMap, data: {level: '1', ignore: \"- name: a\\n- name: b\\n\"}}\n": "level: 1\n" +
			"ignore: \n  - name: a\n  - name: b\n",
		"functionConfig: {apiVersion: v1, kind: ConfigMap}\n": "",
	} {
		list, err := krm.Parse([]byte(head + "items: []\n" + config))
		if err != nil {
			t.Fatal(err)
		}
		given, err := list.Config()
		got := ""
		if given != nil {
			got = string(given.Text)
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", config, got, err)
		}
	}
}

func TestADeclarationMaySetWhatAFileOfTheTreeMay(t *testing.T) {
	for _, declared := range []string{
		"exec: {path: rollstamp, args: [fn, --hash-domain, a, --fail-on=never, -v, --live-volumes]}",
		"exec: {path: rollstamp, args: [stamp, --allow-empty], envs: [ROLLSTAMP_ALLOW, MY_HOME=a, ROLLSTAMP_HASH_DOMAIN=a]}",
		"container: {image: a, network: true, envs: [ROLLSTAMP_HASH_KEY, LOG=a]}",
	} {
		list, err := krm.Parse([]byte(head + "functionConfig: {apiVersion: rollstamp.dev/v1, kind: Stamp, " +
			"metadata: {annotations: {config.kubernetes.io/function: '" + declared + "'}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := list.Config(); err != nil {
			t.Errorf("%s: %v", declared, err)
		}
	}
}

func TestAFunctionConfigOfAnotherKindOrThatWidensIsRefused(t *testing.T) {
	declare := func(text string) string {
		return "{apiVersion: rollstamp.dev/v1, kind: Stamp, metadata: {annotations: {config.kubernetes.io/function: '" + text + "'}}}"
	}
	const (
		stamp    = "{apiVersion: rollstamp.dev/v1, kind: Stamp, "
		declared = "functionConfig:1: read the configuration: config.kubernetes.io/function has "
	)
	for config, want := range map[string]string{
		stamp + "metadata: {annotations: {config.k8s.io/function: 'exec: {path: a, envs: [ROLLSTAMP_ALLOW=stores]}'}}}": "functionConfig:1: " +
			"read the configuration: config.k8s.io/function has ROLLSTAMP_ALLOW",
		stamp + "metadata: {configFn: {exec: {path: a, envs: [ROLLSTAMP_ALLOW=stores]}}}}": "functionConfig:1: read the configuration: " +
			"configFn has ROLLSTAMP_ALLOW",
		declare(`exec: {path: a, envs: ["ROLLSTAMP_\x41LLOW=stores"]}`): "functionConfig:1: read the configuration: " +
			"config.kubernetes.io/function has ROLLSTAMP_ALLOW",
		declare("exec: {"): "functionConfig:1: read the configuration: config.kubernetes.io/function is no YAML",
		stamp + "spec: a}": "functionConfig:1: read the configuration: spec is no mapping",
		"text":             "functionConfig:1: read the configuration: it is no mapping",
		"{kind: Stamp}":    `functionConfig:1: read the configuration: it is "Stamp" of nothing`,
		"{apiVersion: rollstamp.dev/v1, kind: Other}":       `functionConfig:1: read the configuration: it is "Other" of "rollstamp.dev/v1"`,
		"{apiVersion: rollstamp.dev/v1, kind: Stamp, a: b}": `functionConfig:1: read the configuration: there is no field "a"`,
		"{apiVersion: rollstamp.dev/v1, kind: Stamp, failOnn: never}": `functionConfig:1: read the configuration: there is no field "failOnn"; ` +
			"settings stand below spec; did you mean failOn?",
		"\n  apiVersion: rollstamp.dev/v1\n  kind: Stamp\n  spec: {}\n  spec: {}":      `functionConfig:4: read the configuration: "spec" is written twice`,
		declare("exec: {path: rollstamp, args: [fn, --allow, network]}"):               "functionConfig:1: read the configuration: config.kubernetes.io/function has --allow",
		declare("exec: {path: rollstamp, envs: [ROLLSTAMP_ALLOW=stores]}"):             "functionConfig:1: read the configuration: config.kubernetes.io/function has ROLLSTAMP_ALLOW",
		declare("container: {image: rollstamp, envs: [ROLLSTAMP_POLICY=a.yaml]}"):      "functionConfig:1: read the configuration: config.kubernetes.io/function has ROLLSTAMP_POLICY",
		declare("exec: {path: rollstamp, args: [fn, --hash-key-file=a]}"):              declared + "--hash-key-file",
		declare("exec: {path: rollstamp, args: [fn, --findings, text=a]}"):             declared + "--findings",
		declare("exec: {path: sh, args: [-c, \"https_proxy=http://a rollstamp fn\"]}"): declared + "https_proxy=",
		declare("container: {image: a, envs: [ROLLSTAMP_HASH_KEY=a]}"):                 declared + "ROLLSTAMP_HASH_KEY=",
		declare("container: {image: a, envs: [ROLLSTAMP_HELM4=a]}"):                    declared + "ROLLSTAMP_HELM4=",
		declare("container: {image: a, envs: [AWS_ENDPOINT_URL_STS=a]}"):               declared + "AWS_ENDPOINT_URL_STS=",
	} {
		list, err := krm.Parse([]byte(head + "functionConfig: " + config + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		given, err := list.Config()
		if err == nil || !strings.HasPrefix(err.Error(), want) || diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: %v, %v", config, given, err)
		}
	}
}

func TestAReferenceLeadsToTheObjectThatKustomizeHasRenamed(t *testing.T) {
	item := func(name, namespace, old, prefixes string) string {
		return "- {apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: '" + namespace + "', annotations: {" +
			"internal.config.kubernetes.io/previousNames: '" + old + "', internal.config.kubernetes.io/prefixes: '" + prefixes + "'}}}\n"
	}
	list, err := krm.Parse([]byte(head + "items:\n" + item("a-one", "", "one", "a-") + item("b-a-two", "", "two,a-two", "a-,b-") +
		item("x-same", "", "same", "x-") + item("y-same", "", "same", "y-") + item("z-same", "other", "same", "z-") +
		item("p-twice", "", "twice", "p-") + item("q-twice", "", "twice", "p-")))
	if err != nil {
		t.Fatal(err)
	}
	by := func(text string) manifest.Object {
		d, err := manifest.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for o := range d.Objects() {
			return o
		}
		t.Fatal("no object")
		return manifest.Object{}
	}
	web := by("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: y-web, annotations: {internal.config.kubernetes.io/prefixes: y-}}\n")
	for name, want := range map[string]string{
		"one": "a-one", "two": "b-a-two", "a-two": "b-a-two", "b-a-two": "b-a-two", "same": "y-same", "absent": "absent", "twice": "twice",
	} {
		if got := list.Names().Current(web, "ConfigMap", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := list.Names().Current(web, "Secret", "one"); got != "one" {
		t.Errorf("a Secret of that name: %s", got)
	}
	other := by("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: other}\n")
	if got := list.Names().Current(other, "ConfigMap", "same"); got != "z-same" {
		t.Errorf("in another namespace: %s", got)
	}
	if plain, err := krm.Parse([]byte(head + "items: []\n")); err != nil || plain.Names() != nil {
		t.Errorf("a list without such names has some: %v", err)
	}
}

func TestFindingsAreResultsWithObjectFieldAndFile(t *testing.T) {
	const body = `items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    annotations:
      config.kubernetes.io/path: old.yaml
      internal.config.kubernetes.io/path: web.yaml
      internal.config.kubernetes.io/index: '2'
  spec:
    template:
      spec:
        containers:
        - name: a
        - name: c
          envFrom:
          - configMapRef: {name: gone}
`
	found := diag.New(diag.MissingObject, "Deployment default/web", "ConfigMap gone is not in the input").At(diag.Position{File: "-", Line: 19})
	found.Hint = ""
	const results = `results:
  - message: "Deployment default/web: ConfigMap gone is not in the input"
    severity: warning
    resourceRef:
      apiVersion: apps/v1
      kind: Deployment
      name: web
    field:
      path: "spec.template.spec.containers[1].envFrom[0].configMapRef"
    file:
      path: web.yaml
      index: 2
    tags:
      code: missing-object
`
	for _, text := range []string{head + body, head + strings.Replace(body, "name: a\n", "name: &a a\n", 1), strings.TrimSuffix(head+body, "\n")} {
		list, err := krm.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := list.Answer(nil, []diag.Finding{found})
		if err != nil {
			t.Fatal(err)
		}
		rest := strings.Replace(string(out.Bytes()), results, "", 1)
		if strings.TrimSpace(rest) != strings.TrimSpace(text) {
			t.Errorf("the answer is\n%s", out.Bytes())
		}
		if list, err = krm.Parse(out.Bytes()); err != nil {
			t.Fatal(err)
		}
		if again, err := list.Answer(nil, []diag.Finding{found}); err != nil || string(again.Bytes()) != string(out.Bytes()) {
			t.Errorf("a second answer has it twice: %v\n%s", err, again.Bytes())
		}
		if place := list.Place(found).Position(); place.File != "web.yaml" || place.Line != 0 {
			t.Errorf("it is placed at %v", place)
		}
	}
	text := `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "results": [{"message": "a"}]}`
	list, err := krm.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := list.Answer(nil, []diag.Finding{found})
	if err != nil || !strings.Contains(string(out.Bytes()), `{"message": "a"},{"message":"Deployment default/web: ConfigMap gone is not in the input","severity":"warning"`) {
		t.Errorf("%s, %v", out.Bytes(), err)
	}
}

func TestResultsAreAddedWhereTheTextCannotBeChangedInPlace(t *testing.T) {
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	found := []diag.Finding{diag.New(diag.DuplicateKey, "", "new")}
	found[0].Hint = ""
	for _, text := range []string{
		list + "results: &a []\n",
		list + "x: &a\n- {message: old}\nresults: *a\n",
		list + "x: &a {y: z}\n<<: *a\nresults:\n- message: old\n",
		"  apiVersion: &a config.kubernetes.io/v1\n  kind: ResourceList\n  items: []\n",
		"{apiVersion: config.kubernetes.io/v1, kind: ResourceList, # c\n items: []}\n",
		"{apiVersion: &a config.kubernetes.io/v1, kind: ResourceList, items: []}\n",
	} {
		want := []string{"new", "the list was encoded again to add results, and its comments are lost"}
		if strings.Contains(text, "old") {
			want = append([]string{"old"}, want...)
		}
		parsed, err := krm.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := parsed.Answer(nil, found)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := messagesOf(t, out.Bytes()); !slices.Equal(got, want) {
			t.Errorf("%s: the results are %q, want %q", text, got, want)
		}
	}
	for _, results := range []string{"{a: b}", "text"} {
		parsed, err := krm.Parse([]byte(list + "results: " + results + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Answer(nil, found)
		if err == nil || err.Error() != "-:3: add to a ResourceList: results is no list" || diag.HintOf(err) == "" {
			t.Errorf("results: %s: %v", results, err)
		}
	}
}

// messagesOf returns the messages of the results of a list.
func messagesOf(t *testing.T, text []byte) (out []string) {
	t.Helper()
	d, err := manifest.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for r := range d.Root().Get("results").Items() {
		out = append(out, r.Get("message").StringValue())
	}
	return out
}
