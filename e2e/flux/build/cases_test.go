package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// one is a Kustomization and its source.
type one struct {
	name  string
	files map[string]string
	spec  string
	fails string // what both errors hold; "" where none fails
}

const (
	web  = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n        envFrom:\n        - configMapRef: {name: config}\n"
	map1 = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n"
)

func with(files ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		out[files[i]] = files[i+1]
	}
	return out
}

// cases are a case for each field, and for what is wrong with one.
var cases = []one{
	{"a plain folder", with("a.yaml", web, "b/c.yml", map1, "b/d.json", "{}", ".x/e.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"), "path: ./", ""},
	{"a folder below", with("a.yaml", web, "b/kustomization.yml", "resources: [c.yaml]\nnamePrefix: x-", "b/c.yaml", map1, "b/d.yaml", web), "path: .", ""},
	{"an empty folder", with("a/x.txt", ""), "path: a", ""},
	{"an empty folder and a namespace", with("a/x.txt", ""), "path: a\ntargetNamespace: space", ""},
	{"a kustomization without resources", with("kustomization.yaml", "components: [c]\n", "c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n", "c/a.yaml", map1), "path: .", ""},
	{"an empty kustomization", with("kustomization.yaml", ""), "path: .", ""},
	{"unknown fields", with("kustomization.yaml", "resources: [a.yaml]\nnothing: known\n", "a.yaml", map1), "path: .", ""},
	{"fields that are null", with("a.yaml", map1), "path: .\npatches:\npostBuild:\n  substitute:\n", ""},
	{"old fields", with("kustomization.yaml", "bases: [b]\ncommonLabels: {a: b}\npatchesStrategicMerge: [p.yaml]\npatchesJson6902:\n- {target: {version: v1, kind: ConfigMap, name: config}, patch: '[{\"op\": \"add\", \"path\": \"/data/j\", \"value\": \"k\"}]'}\n", "b/kustomization.yaml", "resources: [a.yaml]", "b/a.yaml", map1, "p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {p: q}\n"), "path: .", ""},
	{"very old fields", with("kustomization.yaml", "resources: [a.yaml]\nimageTags: [{name: nginx, newTag: '2'}]\n", "a.yaml", web), "path: .", ""},
	{"two kustomizations", with("kustomization.yaml", "resources: [a.yaml]", "kustomization.yml", "resources: [a.yaml]", "a.yaml", map1), "path: .", "kustomization"},
	{"names and namespace", with("a.yaml", web, "b.yaml", map1), "path: .\nnamePrefix: p-\nnameSuffix: -s\ntargetNamespace: space", ""},
	{"over those of the kustomization", with("kustomization.yaml", "resources: [a.yaml, b.yaml]\nnamePrefix: x-\nnameSuffix: -y\nnamespace: z", "a.yaml", web, "b.yaml", map1), "path: .\nnamePrefix: p-\ntargetNamespace: space", ""},
	{"patches", with("kustomization.yaml", "resources: [a.yaml, b.yaml]\npatches: [{patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"first\": \"x\"}}]', target: {kind: Deployment}}]\n", "a.yaml", web, "b.yaml", map1), "path: .\npatches:\n- patch: |\n    - {op: add, path: /metadata/labels/second, value: x}\n  target: {kind: Deployment, name: w.*, labelSelector: first=x}\n- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: config}\n    $patch: delete\n", ""},
	{"a patch that finds nothing", with("a.yaml", web), "path: .\npatches:\n- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: gone}\n    data: {a: b}\n", "gone"},
	{"a patch whose target finds nothing", with("a.yaml", web), "path: .\npatches:\n- {patch: '[{\"op\": \"remove\", \"path\": \"/x\"}]', target: {kind: Gone}}\n", ""},
	{"images", with("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: nginx, newTag: '2', newName: other}]", "a.yaml", web), "path: .\nimages: [{name: nginx, digest: 'sha256:abc'}]", ""},
	{"a tag over a digest", with("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: nginx, digest: 'sha256:abc'}]", "a.yaml", web), "path: .\nimages: [{name: nginx, newTag: '3'}, {name: nothing, newTag: x}]", ""},
	{"components", with("app/a.yaml", map1, "c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -c\n"), "path: app\ncomponents: [../c, ../gone]\nignoreMissingComponents: true", ""},
	{"a missing component", with("app/a.yaml", map1), "path: app\ncomponents: [../gone]", "gone"},
	{"a remote component", with("app/a.yaml", map1), "path: app\ncomponents: ['https://example.com/x']", "component path 'https://example.com/x' must be local and relative"},
	{"an absolute component", with("app/a.yaml", map1), "path: app\ncomponents: [/x]", "component path '/x' must be local and relative"},
	{"metadata of the build", with("kustomization.yaml", "resources: [a.yaml]", "a.yaml", map1), "path: .\nbuildMetadata: [originAnnotations, transformerAnnotations]\nnamePrefix: x-", ""},
	{"common metadata", with("a.yaml", web), "path: .\ncommonMetadata: {labels: {a: b, kustomize.toolkit.fluxcd.io/name: other}, annotations: {c: 'true'}}", ""},
	{"generators", with("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator: [{name: config, literals: ['A=${V:=dev}'], files: [f.txt]}]\nsecretGenerator: [{name: s, envs: [e.env]}]", "a.yaml", web, "f.txt", "$${x} ${V}", "e.env", "A=${V}"), "path: .\npostBuild: {substitute: {V: prod}}", ""},
	{"files from anywhere in the source", with("app/kustomization.yaml", "resources: [../other/a.yaml]\nconfigMapGenerator: [{name: g, files: [../other/f.txt]}]", "other/a.yaml", map1, "other/f.txt", "x"), "path: app", ""},
	{"files outside of the source", with("kustomization.yaml", "resources: [../outside.yaml]"), "path: .", "outside.yaml"},
	{"a folder that is missing", with("a.yaml", map1), "path: gone", "path not found"},
	{"a file that is no YAML", with("a.yaml", "a: [", "b.yaml", map1), "path: .", "failed to decode Kubernetes YAML"},
	{"a file that is no object", with("a.yaml", "a: b\n", "b.yaml", map1), "path: .", "failed to decode Kubernetes YAML"},
	{"an empty file", with("a.yaml", "", "b.yaml", map1, "c.yaml", "# nothing\n---\n"), "path: .", ""},
	{"one object twice", with("a.yaml", map1, "b.yaml", map1), "path: .", "already registered"},
	{"no apiVersion", with("a.yaml", "kind: ConfigMap\nmetadata: {name: a}\n"), "path: .", "failed to decode Kubernetes apiVersion, kind and name"},
	{"a chart", with("kustomization.yaml", "helmCharts: [{name: x, repo: 'https://charts.example.com'}]"), "path: .", "must specify --enable-helm"},
	{"an address", with("kustomization.yaml", "resources: ['https://example.invalid/a.yaml']"), "path: .", "a.yaml"},
	{"a schema of its own", with("kustomization.yaml", "resources: [a.yaml]\nopenapi: {path: s.json}", "a.yaml", map1, "s.json", "{\"definitions\": {}}"), "path: .", ""},
	{"line breaks of Windows", with("a.yaml", strings.ReplaceAll(map1, "\n", "\r\n")), "path: .\npostBuild: {substitute: {V: x}}", ""},
}

// values are strings as they stand in manifests, with what the variables are in all of them.
var values = []string{
	"${V}", "a-${V}-b", "'${NUM}'", "${NUM}", "${B}", "${F}", "${E}", "${X}", "${O}", "${L}", "${NOTHING:=d}", "${NOTHING:-d}", "${EMPTY:=d}", "${EMPTY}", "${EMPTY=d}",
	"${NOTHING-d}", "${NOTHING:+d}", "${V:+d}", "${NOTHING:?d}", "${V:0:2}", "${V:1}", "${V:0:99}", "${V: -1}", "${V/a/b}", "${V//a/b}", "${V/#v/b}", "${V/%e/b}", "${V^^}", "${V^}", "${V,,}", "${V,}",
	"${#V}", "${V#v}", "${V##*l}", "${V%e}", "${V%%l*}", "$${V}", "$$${V}", "$V", "$(V)", "a$$b", "$$", "$", "${V", "${}", "${ A }", "${{ x }}", "${.Values.x}", "${a.b}", "${a-b}", "${a[0]}", "${#a[@]}",
	"${NOTHING}", "${NOTHING^^}", "${NOTHING:=${V}}", "${NOTHING:=${GONE}}", "${V:=${GONE}}", "\"${Q}\"", "${Q}", "|\n    x: ${V}\n    ${LINES}\n", ">-\n    ${V}\n    and more", "${M}", "['${V}', '${NUM}']", "{a: '${NUM}'}",
	"1e3", "0x10", "010", "1_000", "12345678901234567890", "1.0", "1e400", "null", "~", "yes", "'yes'", "2001-01-01", "0.1", "-0", "${BIG}", "é ${V}", "'  ${V}  '", "${LONG} ${LONG}", "\"\\u00e9${V}\"", "${V}:", "${COLON}", "'${COLON}'",
	"${HASH}", "${STAR}", "- ${V}", "${DATE}", "'${DATE}'", "${V}${V}", "${V}\n  ${V}: x", "${YES}", "'${YES}'", "${NULL}",
}

const variables = `postBuild:
  substituteStrategy: %s
  substitute:
    V: value
    NUM: "5432"
    B: "true"
    F: "1.50"
    E: "1e3"
    X: "0x1F"
    O: "0644"
    L: |
      two
      lines
    EMPTY: ""
    Q: 'say "x"'
    LINES: "a\n\nb"
    M: "{x: 1, y: [a]}"
    BIG: "12345678901234567"
    LONG: "a very long value that is longer than any line of YAML would be if it were folded by the encoder somewhere in between"
    COLON: "a: b"
    HASH: "# x"
    STAR: "*x"
    DATE: "2001-01-01"
    "YES": "yes"
    "NULL": "null"
`

func TestEachFieldAndEachMistake(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, cluster{}) })
	}
}

func TestEachSyntax(t *testing.T) {
	for _, strategy := range []string{"WithVariables", "Always"} {
		for i, value := range values {
			text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations: {a: b}\nother: {num: 1.0, e: 1e3, s: '1', b: yes, o: 010}\ndata:\n  k: " + value + "\n"
			c := one{files: with("a.yaml", text, "b.yaml", web), spec: "path: .\n" + fmt.Sprintf(variables, strategy)}
			t.Run(fmt.Sprint(strategy, i), func(t *testing.T) { c.run(t, cluster{}) })
		}
	}
}

// oddValues are values of variables that YAML could take for something else.
var oddValues = []string{
	"a", "1", "-1", "0", "-0", "+1", "01", "1.0", "1e3", "1E400", ".5", "5.", "0x1f", "0o7", "0b1", "1_000", "1:30", "999999999999999", "9999999999999999", "true", "True", "yes", "y", "no",
	"n", "on", "off", "null", "~", "", " ", " a", "a ", "a  b", "a: b", "a:b", ":", "- a", "-", "--", "---", "?", "? a", "#", "a #b", "a#b", "&a", "*a", "!a", "!!str a", "|", ">", "%a", "@a", "`a", "'", "''", "'a'",
	"\"", "\"a\"", "{", "}", "{}", "[", "]", "[]", "[a]", "{a: b}", ",", "a, b", "=", "<<", "a\tb", "\t", "é", "日本", "😀", "\u00a0", "\u2028", "\ufeff", "\u0085", "\u0007", "\u007f", "\\", "a\\nb", "2001-01-01", "2001-01-01T00:00:00Z", ".inf",
	".nan", "${A}", "$${A}", "$$", "}", strings.Repeat("long ", 40), "a\r", "\xff",
}

func TestEachValue(t *testing.T) {
	forms := []string{"${V}", "'${V}'", "\"${V}\"", "x${V}", "${V}x", "${V} x", "|\n    ${V}\n    x\n", "|\n    x\n    ${V}\n", ">-\n    x\n    ${V}\n", "['${V}']", "{a: '${V}'}"}
	for i, v := range oddValues {
		for k, form := range forms {
			text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  k: " + form + "\n"
			c := one{files: with("a.yaml", text), spec: "path: .\npostBuild: {substituteFrom: [{kind: Secret, name: s}]}"}
			t.Run(fmt.Sprintf("%d in %d", i, k), func(t *testing.T) {
				c.run(t, cluster{secrets: map[string]map[string]string{"s": {"V": v}}})
			})
		}
	}
}

func TestWhereVariablesComeFrom(t *testing.T) {
	data := map[string]string{"A": "map", "B": "map", "C": "map", "LINES": "a\nb\n"}
	secret := map[string]string{"B": "secret", "C": "secret"}
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: ${A:=none}\n  b: ${B:=none}\n  c: ${C:=none}\n  l: ${LINES:=none}\n"
	secretText := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  a: JHtBfQ==\nstringData:\n  b: ${B:=none}\n"
	off := strings.Replace(text, "name: c", "name: off\n  labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}", 1)
	for name, spec := range map[string]string{
		"maps and secrets":   "substituteFrom: [{kind: ConfigMap, name: m}, {kind: Secret, name: s}]\n  substitute: {C: inline}",
		"the other way":      "substituteFrom: [{kind: Secret, name: s}, {kind: ConfigMap, name: m}]",
		"optional":           "substituteFrom: [{kind: Secret, name: gone, optional: true}, {kind: ConfigMap, name: gone, optional: true}]",
		"optional, always":   "substituteStrategy: Always\n  substituteFrom: [{kind: Secret, name: gone, optional: true}]",
		"nothing":            "substitute: {}",
		"nothing, always":    "substituteStrategy: Always",
		"an invalid name":    "substitute: {a-b: c}",
		"a name of a number": "substitute: {1a: c}",
	} {
		t.Run(name, func(t *testing.T) {
			c := one{files: with("a.yaml", text, "b.yaml", secretText, "c.yaml", off), spec: "path: .\npostBuild:\n  " + spec}
			c.run(t, cluster{maps: map[string]map[string]string{"m": data}, secrets: map[string]map[string]string{"s": secret}})
		})
	}
	for name, names := range map[string][2]string{"equal names": {"${A}", "${B}"}, "one name": {"${A}", "x"}, "other names": {"${A}", "${C}"}} {
		t.Run(name, func(t *testing.T) {
			named := func(n string) string { return strings.Replace(map1, "name: config", "name: '"+n+"'", 1) }
			c := one{files: with("a.yaml", named(names[0]), "b.yaml", named(names[1])), spec: "path: .\npostBuild: {substitute: {A: x, B: x, C: other}}"}
			c.run(t, cluster{})
		})
	}
}

func (c one) run(t *testing.T, from cluster) {
	root := t.TempDir()
	for name, text := range c.files {
		path := filepath.Join(root, "source", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "outside.yaml"), []byte(map1), 0o600); err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "source")
	all, err := objects.Parse([]byte("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\nspec:\n  sourceRef: {kind: GitRepository, name: g}\n  "+
		strings.ReplaceAll(c.spec, "\n", "\n  ")), "k.yaml")
	if err != nil {
		t.Fatal(err)
	}
	k := all.Kustomizations[0]
	artifact, err := build.Artifact(nil, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, _, gotErr := ours(t.Context(), k, artifact, root, from)
	want, wantErr := reference(t.Context(), k, pack(t, root, nil), from)
	compare(t, c.name, want, wantErr, got, gotErr)
	if (wantErr != nil) != (c.fails != "") && c.name != "" {
		t.Errorf("theirs: %v", wantErr)
	}
	if wantErr == nil || gotErr == nil {
		return
	}
	t.Logf("theirs: %v\n  ours: %v", wantErr, gotErr)
	if !strings.Contains(wantErr.Error(), c.fails) || !strings.Contains(gotErr.Error(), c.fails) {
		t.Errorf("theirs: %v\n  ours: %v\n  both should say %q", wantErr, gotErr, c.fails)
	}
	if i := strings.Index(wantErr.Error(), "post build failed"); i >= 0 && !strings.Contains(gotErr.Error(), "not shown") &&
		!strings.Contains(gotErr.Error(), wantErr.Error()[i:]) {
		t.Errorf("theirs: %v\n  ours: %v", wantErr, gotErr)
	}
}
