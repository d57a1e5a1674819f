package convert_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/workspace"
)

func converted(t *testing.T, text string) *convert.Result {
	t.Helper()
	c, err := convert.File([]byte(text), "app.yaml", convert.Options{Plugin: "rollstamp"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n"

func TestOptionsBecomeParametersAndCommentsStay(t *testing.T) {
	const before = `# The shop.
` + head + `spec:
  # Where from.
  source:
    repoURL: https://git.example.org/a   # ours
    path: web
    # What it is called.
    helm:
      releaseName: shop  # short
      # Values, in order.
      valueFiles:
      - values.yaml  # all
      - "prod.yaml"
      values: |
        # inside
        a: {b: $c}
      valuesObject:
        # also inside
        replicas: 3
        name: "yes"
      parameters:
      # The tag.
      - name: image.tag
        value: "1.0"
      - {name: on, value: 'true', forceString: true}
      skipCrds: true
      skipTests: false
      fileParameters: [{name: cert, path: files/cert.pem}]
    targetRevision: HEAD
  # Where to.
  destination: {namespace: shop}
---
kind: ConfigMap
apiVersion: v1
metadata:   {name: untouched}
`
	const after = `# The shop.
` + head + `spec:
  # Where from.
  source:
    repoURL: https://git.example.org/a   # ours
    path: web
    # What it is called.
    plugin:
      name: rollstamp
      parameters:
        # Values, in order.
        - name: valueFiles
          array:
            - values.yaml # all
            - "prod.yaml"
        - name: values
          string: |
            # inside
            a: {b: $c}
        - name: valuesObject
          string: |
            # also inside
            replicas: 3
            name: "yes"
        - name: parameters
          map:
            # The tag.
            image.tag: "1.0"
        - name: forceStringParameters
          map:
            "on": 'true'
        - name: fileParameters
          map:
            cert: files/cert.pem
        - name: releaseName
          string: shop # short
        - name: skipCrds
          string: "true"
    targetRevision: HEAD
  # Where to.
  destination: {namespace: shop}
---
kind: ConfigMap
apiVersion: v1
metadata:   {name: untouched}
`
	c := converted(t, before)
	if string(c.Text) != after {
		t.Errorf("got\n%s\nwant\n%s", c.Text, after)
	}
	if len(c.Changed) != 1 || len(c.Left) != 0 {
		t.Errorf("it reports %v and %v", c.Changed, c.Left)
	}
	if again := converted(t, after); string(again.Text) != after || len(again.Left) != 1 {
		t.Errorf("a second time: %v\n%s", again.Left, again.Text)
	}
}

func TestSourcesOfEveryFormAreConverted(t *testing.T) {
	cases := []struct{ name, before, after string }{
		{"no options", "spec:\n  source:\n    repoURL: u\n    path: p # here\n    targetRevision: HEAD\n",
			"spec:\n  source:\n    repoURL: u\n    path: p # here\n    plugin:\n      name: rollstamp\n    targetRevision: HEAD\n"},
		{"at the end", "spec:\n  source:\n    repoURL: u\n    path: p",
			"spec:\n  source:\n    repoURL: u\n    path: p\n    plugin:\n      name: rollstamp"},
		{"one line", "spec: {source: {repoURL: u, path: p, kustomize: {images: [a=b:1], commonLabels: {a: b}, replicas: [{name: web, count: 2}]}}}\n",
			"spec: {source: {repoURL: u, path: p, plugin: {name: rollstamp, parameters: [{name: images, array: ['a=b:1']}, {name: replicas, map: {web: \"2\"}}, {name: commonLabels, map: {a: b}}]}}}\n"},
		{"one line without options", "spec: {source: {repoURL: u, path: p, targetRevision: x}}\n",
			"spec: {source: {repoURL: u, path: p, plugin: {name: rollstamp}, targetRevision: x}}\n"},
		{"one line inside", "spec:\n  source:\n    helm: {releaseName: x} # why\n    path: p\n",
			"spec:\n  source:\n    plugin:\n      name: rollstamp\n      parameters:\n        - name: releaseName\n          string: x\n    path: p\n"},
		{"the first of an item",
			"spec:\n  sources:\n  - helm:\n      skipCrds: true\n    path: p\n  - repoURL: u\n    ref: values\n", "spec:\n  sources:\n  - plugin:\n      name: rollstamp\n      parameters:\n        - name: skipCrds\n          string: \"true\"\n    path: p\n  - repoURL: u\n    ref: values\n"},
		{"patches", "spec:\n  source:\n    path: p\n    kustomize:\n      patches:\n      - target: {kind: Deployment}\n        patch: |-\n          - op: remove\n            path: /a\n", "spec:\n  source:\n    path: p\n    plugin:\n      name: rollstamp\n      parameters:\n        - name: patches\n          array:\n            - |\n              target: {kind: Deployment}\n              patch: |-\n                - op: remove\n                  path: /a\n"},
		{"jsonnet", "spec:\n  source:\n    path: p\n    directory:\n      recurse: true\n      jsonnet:\n        extVars: [{name: a, value: b}, {name: c, value: '1', code: true}]\n        libs: [lib]\n", "spec:\n  source:\n    path: p\n    plugin:\n      name: rollstamp\n      parameters:\n        - name: recurse\n          string: \"true\"\n        - name: extVars\n          map:\n            a: b\n        - name: extVarsCode\n          map:\n            c: '1'\n        - name: libs\n          array: [lib]\n"},
		{"values of the same repository",
			"spec:\n  sources:\n  - repoURL: https://x/r.git\n    ref: values\n  - repoURL: https://x/r\n    path: p\n    helm:\n      valueFiles: [$values/a.yaml]\n", "spec:\n  sources:\n  - repoURL: https://x/r.git\n    ref: values\n  - repoURL: https://x/r\n    path: p\n    plugin:\n      name: rollstamp\n      parameters:\n        - name: valueFiles\n          array: [$values/a.yaml]\n        - name: refs\n          map:\n            values: \".\"\n"},
		{"options that are empty", "spec:\n  source:\n    path: p\n    helm: {}\n",
			"spec:\n  source:\n    path: p\n    plugin:\n      name: rollstamp\n"},
		{"options that are null", "spec:\n  source:\n    helm:\n    path: p\n",
			"spec:\n  source:\n    plugin:\n      name: rollstamp\n    path: p\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := converted(t, head+c.before)
			if string(got.Text) != head+c.after || len(got.Left) != 0 {
				t.Errorf("left %v, got\n%s\nwant\n%s", got.Left, strings.TrimPrefix(string(got.Text), head), c.after)
			}
		})
	}
}

func TestWhatCannotBeConvertedStaysAndIsNamed(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"values of another repository",
			"sources:\n  - {repoURL: v, ref: values}\n  - {repoURL: u, path: p, helm: {valueFiles: [$values/a.yaml]}}\n", `\$values/a.yaml from another repository`},
		{"a chart with values of a repository",
			"sources:\n  - {repoURL: u, ref: values}\n  - {repoURL: u, chart: c, helm: {valueFiles: [$values/a.yaml]}}\n", `\$values/a.yaml from another repository`},
		{"an unknown option", "source: {repoURL: u, path: p, helm: {valueFile: a}}\n",
			"options that rollstamp does not know: valueFile"},
		{"an order", "source: {repoURL: u, path: p, helm: {parameters: [{name: a, value: '1'}, {name: a, value: '2'}]}}\n", "sets a twice or in parts"},
		{"parts", "source: {repoURL: u, path: p, helm: {parameters: [{name: a.b, value: '1'}, {name: a, value: '{x}', forceString: true}]}}\n", "sets a twice or in parts"},
		{"a plugin", "source: {repoURL: u, path: p, plugin: {name: x}}\n", "has a plugin already"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := head + "spec:\n  " + c.source
			got := converted(t, before)
			if string(got.Text) != before || len(got.Left) != 1 ||
				!regexp.MustCompile(c.want).MatchString(got.Left[0].Message) || got.Left[0].Pos.Line < 5 {
				t.Errorf("left %v, got\n%s", got.Left, got.Text)
			}
		})
	}
	for name, text := range map[string]string{
		"two kinds": head + "spec: {source: {path: p, helm: {}, kustomize: {}}}\n",
		"anchors":   head + "spec:\n  source: &s\n    path: p\n",
		"no YAML":   head + "spec:\n\tx: y\n",
	} {
		if c, err := convert.File([]byte(text), "app.yaml", convert.Options{Plugin: "rollstamp"}); diag.ExitOf(err) != diag.ExitInput ||
			!strings.Contains(err.Error(), "app.yaml:") {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestValuesOfAnotherRepositoryAreConvertedWhereTheyArePinned(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	source := func(rev string) string {
		return head + "spec:\n  sources:\n  - {repoURL: https://x/values, targetRevision: " + rev + ", ref: v}\n  - {repoURL: https://charts, chart: c, helm: {valueFiles: [$v/a.yaml]}}\n"
	}
	const want = `plugin: {name: rollstamp, parameters: [{name: valueFiles, array: [$v/a.yaml]}, {name: refs, map: {v: "https://x/values@` + commit + `"}}]}`
	if c := converted(t, source(commit)); !strings.Contains(string(c.Text), want) || len(c.Left)+len(c.Hints) != 0 {
		t.Errorf("left %v, got\n%s", c.Left, c.Text)
	}
	if c := converted(t, source("main")); len(c.Left) != 1 || !strings.Contains(c.Left[0].Message, "--pin") {
		t.Errorf("left %v, got\n%s", c.Left, c.Text)
	}
	pin := func(address string, rev workspace.Revision) (string, error) {
		if address != "https://x/values" || rev.Name != "main" {
			t.Errorf("asked for %s at %s", address, rev)
		}
		return commit, nil
	}
	c, err := convert.File([]byte(source("main")), "app.yaml", convert.Options{Plugin: "rollstamp", Pin: pin})
	if err != nil || !strings.Contains(string(c.Text), want) || len(c.Left) != 0 || len(c.Hints) != 1 {
		t.Errorf("%v, got\n%s", err, c.Text)
	}
}

func TestTheTemplateOfASetIsConverted(t *testing.T) {
	const before = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: s}
spec:
  generators:
  - list: {elements: [{id: a}]}
  template:
    metadata: {name: '{{id}}'}
    spec:
      source: {repoURL: 'https://x/y', path: 'p'}
`
	c := converted(t, before)
	if want := strings.Replace(before, "path: 'p'}", "path: 'p', plugin: {name: rollstamp}}",
		1); string(c.Text) != want {
		t.Errorf("got\n%s", c.Text)
	}
}

// What a set's controller puts beside the plugin would fail each Application: multiple application sources defined.
func TestASetWhoseSourcesComeFromElsewhereTooIsLeftAlone(t *testing.T) {
	const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shops}
spec:
  generators:
  - list: {elements: [{id: a}]}
  template:
    metadata: {name: '{{id}}'}
    spec:
      source: {repoURL: 'https://x/y', path: p, helm: {skipCrds: true}}
`
	for name, c := range map[string]struct {
		more string
		want string // what the note says; "" where the set is converted
		line int
	}{
		"nothing else": {"", "", 0},
		"options": {`  templatePatch: |
    spec:
      # of its own
      source:
        helm:
          valueFiles: [b.yaml]
`, "templatePatch sets spec.source.helm", 15},
		"under a condition": {`  templatePatch: |
    {{- if .values }}
    spec:
      source:
        {{- range $k, $v := .kinds }}
        "kustomize": {namePrefix: a-}
        {{- end }}
    {{- end }}
`, "templatePatch sets spec.source.kustomize", 16},
		"in brackets": {"  templatePatch: '{\"spec\": {\"source\": {\"helm\": {\"skipCrds\": true}}}}'\n", "templatePatch sets helm", 11},
		"a block with brackets": {"  templatePatch: |\n    spec: {source: {directory: {recurse: true}}}\n",
			"templatePatch sets directory below spec", 12},
		"all sources": {"  templatePatch: |\n    spec:\n      sources: []\n", "templatePatch sets spec.sources", 13},
		"the plugin itself": {"  templatePatch: |\n    spec:\n      source:\n        plugin: {name: other}\n",
			"templatePatch sets spec.source.plugin", 14},
		"what elements bring": {"  templatePatch: |\n    spec:\n      source:\n    {{ toYaml .source | nindent 8 }}\n",
			"templatePatch puts in below spec.source what is known only", 14},
		"a source that elements bring": {"  templatePatch: |\n    spec:\n      source: {{ .source | toJson }}\n",
			"templatePatch puts in below spec.source what", 13},
		"all that elements bring": {"  templatePatch: |\n    {{ .patch }}\n",
			"templatePatch puts in what is known only", 12},
		"a field of another name": {"  templatePatch: |\n    spec:\n      source:\n        {{ .kind }}: {}\n",
			"templatePatch sets a field below spec.source whose name", 14},
		"a source replaced": {"  templatePatch: |\n    spec:\n      source:\n        $patch: replace\n        path: q\n",
			"templatePatch sets spec.source.$patch", 14},
		"where it comes from": {`  templatePatch: |
    metadata:
      annotations:
        helm: "yes"
        {{- .annotations | toYaml | nindent 8 }}
    spec:
      source:
        repoURL: '{{ .repo }}' # no helm:
        path: '{{.path.path}}/{{.sub}}'
        {{/* helm: is for later
        */}}
      syncPolicy:
        managedNamespaceMetadata:
          {{- .meta | toYaml | nindent 10 }}
      ignoreDifferences:
      {{- range .ignored }}
      - {{ . | toJson }}
      {{- end }}
      info:
      - {name: sources, value: '{{ .list }}'}
`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := converted(t, set+c.more)
			switch {
			case c.want == "" && len(got.Left) == 0 && len(got.Changed) == 1:
			case c.want != "" && len(got.Changed) == 0 && len(got.Left) == 1 && string(got.Text) == set+c.more &&
				strings.Contains(got.Left[0].Message, c.want) && got.Left[0].Pos.Line == c.line:
			default:
				t.Errorf("changed %v, left %v", got.Changed, got.Left)
			}
		})
	}
	const generator = "  - matrix: {generators: [{git: {template: {spec: {source: {helm: {skipCrds: true}}}}}}]}\n"
	for _, sources := range []string{"source: {helm: {skipCrds: true}}", "sources: [{repoURL: a, path: b}]"} {
		text := strings.Replace(generator, "source: {helm: {skipCrds: true}}", sources, 1)
		text = strings.Replace(set, "  - list: {elements: [{id: a}]}\n", text, 1)
		if got := converted(t, text); len(got.Changed) > 0 || len(got.Left) != 1 || got.Left[0].Pos.Line != 6 {
			t.Errorf("%s: changed %v, left %v", sources, got.Changed, got.Left)
		}
	}
}

func TestTheHelmOfAnArgoCDIsWritten(t *testing.T) {
	const chart, field = "repoURL: https://charts.example.org, chart: web", "repoURL: https://git.example.org/a, path: web, helm: {version: v3}"
	for _, row := range []struct {
		source, version string
		want            string
	}{
		{field, "", `parameters: [{name: version, string: v3}]`},
		{field, "v3.4", ``},
		{field, "v3.5", `parameters: [{name: version, string: "4"}]`},
		{chart, "v3.4", ``},
		{chart, "v3.5", `parameters: [{name: version, string: "4"}]`},
		{"repoURL: https://git.example.org/a, path: web", "v3.5", `note`},
	} {
		c := convertedFor(t, row.version, "source: {"+row.source+"}")
		switch has := strings.Contains(string(c.Text), "version"); {
		case row.want == "note" && (len(c.Hints) != 1 || has), row.want != "note" && len(c.Hints) > 0,
			row.want == "" && has, row.want != "note" && !strings.Contains(string(c.Text), row.want):
			t.Errorf("%s for %q: %s%v", row.source, row.version, c.Text, c.Hints)
		}
	}
}

// convertedFor converts an Application with this in its spec, for a version of Argo CD.
func convertedFor(t *testing.T, version, spec string) *convert.Result {
	t.Helper()
	o := convert.Options{Plugin: "rollstamp"}
	var err error
	if version != "" {
		if o.Version, err = argocd.ParseVersion(version, "argocd-version"); err != nil {
			t.Fatal(err)
		}
	}
	c, err := convert.File([]byte(head+"spec: {"+spec+", destination: {namespace: shop}}\n"), "app.yaml", o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestADrySourceIsConvertedWhereArgoCDTakesAPluginInIt(t *testing.T) {
	const source = "drySource: {repoURL: https://git.example.org/a, path: web}"
	for version, want := range map[string]struct {
		changed, left, hints int
	}{
		"": {1, 0, 1}, "v3.2.11": {0, 1, 0}, "v3.3.10": {1, 0, 0},
	} {
		c := convertedFor(t, version, "sourceHydrator: {"+source+"}")
		if len(c.Changed) != want.changed || len(c.Left) != want.left || len(c.Hints) != want.hints ||
			strings.Contains(string(c.Text), "plugin") != (want.changed > 0) {
			t.Errorf("%q: changed %v, left %v, hints %v\n%s", version, c.Changed, c.Left, c.Hints, c.Text)
		}
	}
	// One that has a plugin already is reported as well.
	plugin := "sourceHydrator: {" + strings.Replace(source, "}", ", plugin: {name: rollstamp}}", 1) + "}"
	if c := convertedFor(t, "v3.2.0", plugin); len(c.Left) != 1 || !strings.Contains(c.Left[0].Message, "v3.2 drops a plugin") {
		t.Errorf("left %v", c.Left)
	}
}
