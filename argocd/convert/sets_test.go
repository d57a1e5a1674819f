package convert_test

import (
	"strings"
	"testing"
)

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
		"in brackets": {"  templatePatch: '{\"spec\": {\"source\": {\"helm\": {\"skipCrds\": true}}}}'\n", "templatePatch sets spec.source.helm", 11},
		"a block with brackets": {"  templatePatch: |\n    spec: {source: {directory: {recurse: true}}}\n",
			"templatePatch sets spec.source.directory", 12},
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
		"by an alias": {"  templatePatch: |\n    x: &a {helm: {values: 'y: 3'}}\n    spec: {source: *a}\n",
			"templatePatch sets spec.source.helm", 13},
		"an alias that is filled in": {"  templatePatch: |\n    x: &a {{ toJson .x }}\n    spec: {source: *a}\n",
			"templatePatch refers to *a below spec.source", 12},
		"an alias of which actions choose one": {`  templatePatch: |
    {{- if .x }}
    x: &a {helm: {}}
    {{- else }}
    x: &a {path: p}
    {{- end }}
    spec:
      source: *a
`, "templatePatch refers to *a below spec.source", 12},
		"merged": {"  templatePatch: |\n    x: &a\n      kustomize: {}\n    spec:\n      source:\n        <<: [*a]\n",
			"templatePatch sets spec.source.kustomize", 16},
		"merged and filled in": {"  templatePatch: |\n    y: '{{ .y }}'\n    x: &a {helm: {}}\n    spec:\n      source:\n        <<: *a\n",
			"templatePatch refers to *a below spec.source", 12},
		"an escape": {"  templatePatch: |\n    spec: {source: {\"he\\u006cm\": {}}}\n", "templatePatch sets spec.source.helm", 12},
		"an escape beside an action": {"  templatePatch: |\n    metadata: {labels: {a: '{{ .a }}'}}\n    spec: {source: {\"he\\u006cm\": {}}}\n",
			"templatePatch sets spec.source.helm", 12},
		"an escape above": {"  templatePatch: |\n    \"s\\x70ec\":\n      project: '{{ .p }}'\n      source:\n        helm: {}\n",
			"templatePatch sets spec.source.helm", 12},
		"brackets over lines": {"  templatePatch: |\n    {{- if .x }}\n    {\n    \"spec\": {\n    \"source\": {\n    \"helm\": {}\n    }}}\n    {{- end }}\n",
			"templatePatch sets helm", 12},
		"brackets that are filled in": {"  templatePatch: |\n    {\"spec\": {\"source\":\n      {{ toJson .source }}}}\n",
			"templatePatch puts in below spec.source what is known only", 12},
		"a name over lines": {"  templatePatch: |\n    p: '{{ .p }}'\n    ? spec\n    : source:\n        helm: {}\n",
			"templatePatch sets spec.source.helm", 12},
		"what is left of a source": {"  templatePatch: |\n    spec:\n      source:\n        $retainKeys: [path]\n        path: q\n",
			"templatePatch sets spec.source.$retainKeys", 14},
		"an alias in what cannot be read before": {"  templatePatch: |\n    a: {{ if .b }}'{{ end }}\n    x: &a {helm: {}}\n    spec: {source: *a}\n",
			"templatePatch has an anchor, a tag or an escape", 12},
		"no YAML": {"  templatePatch: |\n    spec: [\n", "templatePatch cannot be read as YAML", 12},
		"a comment of a comment": {"  templatePatch: |\n    spec:\n      source:\n        {{/* }} # */}}helm: {}\n",
			"templatePatch sets spec.source.helm", 14},
		"a name that a condition chooses": {"  templatePatch: |\n    {{ if .a }}spec:{{ else }}metadata:{{ end }}\n      source: {helm: {}}\n",
			"templatePatch sets helm below spec.source", 12},
		"a name in pieces": {"  templatePatch: |\n    spec:\n      source:\n        he{{ if true }}lm: {}{{ end }}\n",
			"templatePatch sets spec.source.helm", 14},
		"a place that a condition chooses": {"  templatePatch: |\n    spec:\n      source:\n        path: q\n    {{ if .x }}    {{ end }}helm: {}\n",
			"templatePatch sets spec.source.helm", 15},
		"a comment that a condition chooses": {"  templatePatch: |\n    spec:\n      source:\n        {{ if .x }}#{{ end }} helm: {}\n",
			"templatePatch sets spec.source.helm", 12},
		"a field that a condition chooses": {`  templatePatch: |
    {{- if .a }}
    spec:
    {{- else }}
    metadata:
    {{- end }}
      source: {helm: {}}
`, "templatePatch sets helm below spec.source", 12},
		"a line that a condition leaves": {"  templatePatch: |\n    {{ if .a }}labels: a{{ end }}spec: {source: {helm: {}}}\n",
			"templatePatch sets helm below spec", 12},
		"more conditions than texts": {"  templatePatch: |\n    metadata:\n" +
			strings.Repeat("      {{ if .a }}a: b{{ end }}\n", 13), "templatePatch has more conditions", 12},
		"many conditions": {"  templatePatch: |\n    metadata:\n" + strings.Repeat("      {{ if .a }}a: b{{ end }}\n", 12), "", 0},
		"conditions in lines": {`  templatePatch: |
    {{- if .a }}
    metadata:
      {{- if .b }}
      labels: {a: b}
      {{- end }}
    {{- end }}
    spec:
      {{- if .c }}
      source:
        {{ if .d }}path: q{{ end }}
        targetRevision: {{ if .e }}main{{ else }}{{ .f }}{{ end }}
      {{- end }}
      # {{ if .g }} helm: {{ end }}
      project: a{{/* why */}}
      syncPolicy:
      {{- if .h }}
        automated: {}
      {{- end }}
      destination: {name: a}
`, "", 0},
		"aliases elsewhere": {`  templatePatch: |
    x: &ignored
    - {group: apps, kind: Deployment, name: '*', jsonPointers: [/spec/replicas]}
    spec:
      source: {path: '*q', targetRevision: "a\u0062"}
      ignoreDifferences: *ignored
      syncPolicy: {
        automated: {prune: true}
      }
      info:
      - {name: owner, value: '{{ .owner }}'}
      - {{ "}}" | toJson }}
`, "", 0},
		"printed where nothing is read": {`  templatePatch: |
    metadata:
      labels:
        a: '&b *c'
        {{ .labels }}
    spec:
      source: {path: q}
`, "", 0},
		"only YAML": {`  templatePatch: |
    x: &a {path: q}
    spec:
      source:
        <<: *a
        "repoURL": 'https://x/y' # helm: {}
      info: [{name: helm, value: "sources: []"}]
`, "", 0},
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

// A value with a quote, as it's: x, would end the text that it is filled into.
func TestATreeThatASetFillsInIsLeftAlone(t *testing.T) {
	const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shops}
spec:
  template:
    spec:
      source:
        repoURL: https://x/y
        path: p
        OPTIONS
`
	for options, isLeft := range map[string]bool{
		"helm: {valuesObject: {a: [{b: 'x {{.p}}'}]}}":             true,
		"helm: {valuesObject: {'{{p}}': 1}}":                       true,
		"kustomize: {patches: [{patch: '{{ .p }}'}]}":              true,
		"helm: {valuesObject: {a: b}, releaseName: '{{.p}}'}":      false,
		"helm: {values: 'a: {{.p}}', valueFiles: ['{{.p}}.yaml']}": false,
	} {
		text := strings.Replace(set, "OPTIONS", options, 1)
		got := converted(t, text)
		switch {
		case !isLeft && len(got.Changed) == 1:
		case isLeft && len(got.Left) == 1 && string(got.Text) == text && got.Left[0].Pos.Line == 10 &&
			strings.Contains(got.Left[0].Message, "is filled in by the ApplicationSet"):
		default:
			t.Errorf("%s: changed %v, left %v", options, got.Changed, got.Left)
		}
		application := strings.Replace(text, "ApplicationSet", "Application", 1)
		application = strings.Replace(application, "  template:\n    spec:\n", "", 1)
		if got := converted(t, application); len(got.Changed) != 1 {
			t.Errorf("%s: an Application is left: %v", options, got.Left)
		}
	}
}
