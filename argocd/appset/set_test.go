package appset_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/workspace"
)

const repoURL = "https://git.example.org/team/deploy.git"

// git runs the real git.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t *testing.T, dir string, all map[string]string) {
	t.Helper()
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkout makes a repository with files in its work tree, under repoURL. They are committed, and a file of another
// content besides.
func checkout(t *testing.T, all map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "remote", "add", "origin", repoURL)
	put(t, dir, all)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "all")
	return dir
}

func around(t *testing.T, dir string) *appset.Surroundings {
	t.Helper()
	repos := &workspace.Repositories{}
	repos.AddAround(dir)
	t.Cleanup(func() {
		if err := repos.Close(); err != nil {
			t.Error(err)
		}
	})
	return &appset.Surroundings{Repositories: repos}
}

// makes returns one line for each Application that a set makes: the name, then the words of the annotation "say".
func makes(t *testing.T, in *appset.Surroundings, set string) ([]string, error) {
	t.Helper()
	o, err := appset.Parse([]byte(set), "set.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Sets) != 1 {
		t.Fatalf("%d sets", len(o.Sets))
	}
	all, err := o.Sets[0].Applications(context.Background(), in)
	var lines []string
	for _, a := range all {
		lines = append(lines, strings.TrimSpace(a.Name+" "+a.Spec.Source.Path+" "+a.Spec.Destination.Name))
	}
	return lines, err
}

// set returns an ApplicationSet with generators, and with the texts of name, path and cluster in its template.
func set(generators, name, path, cluster string, more ...string) string {
	return fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set, namespace: argocd}
spec:
  %s
  generators:
%s
  template:
    metadata: {name: '%s', labels: {'label-%s': x}}
    spec:
      project: default
      source: {repoURL: %s, targetRevision: HEAD, path: '%s'}
      destination: {namespace: shop, name: '%s'}
`, strings.Join(more, "\n  "), generators, name, name, repoURL, path, cluster)
}

const goTemplate = "goTemplate: true\n  goTemplateOptions: [missingkey=error]"

func TestGeneratorsReturnTheApplicationsOfTheController(t *testing.T) {
	dir := checkout(t, map[string]string{
		"apps/web/a.yaml": "x", "apps/db/deep/a.yaml": "x", "apps/.hidden/a.yaml": "x", "apps/My_App/a.yaml": "x", "other/a.yaml": "x",
		"envs/prod/config.json":      `{"cluster": {"name": "p1", "size": 3}, "tags": ["a", "b"], "on": true}`,
		"envs/dev/config.json":       `{"cluster": {"name": "d1", "size": 1}}`,
		"envs/dev/sub/config.json":   `{"cluster": {"name": "d2", "size": 1.5}}`,
		"envs/many.yaml":             "- {cluster: {name: m1}}\n- {cluster: {name: m2}}\n",
		".gitignore":                 "/apps/built\n*.tmp\n",
		"clusters.yaml":              "name: file\n",
		"weird [x]/config file.json": `{"cluster": {"name": "w"}}`,
	})
	put(t, dir, map[string]string{"apps/built/a.yaml": "x", "apps/draft/a.yaml": "x", "apps/onlytmp/a.tmp": "x"})
	if err := os.MkdirAll(filepath.Join(dir, "apps", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := around(t, dir)
	gitGenerator := func(indent int, rest string) string {
		return strings.ReplaceAll("- git:\n    repoURL: "+repoURL+"\n    revision: HEAD\n    "+strings.ReplaceAll(rest,
			"\n", "\n    "), "\n", "\n"+strings.Repeat(" ", indent))
	}
	lead := func(s string) string { return "  " + s }
	cases := []struct {
		name, set string
		want      []string
	}{
		{"a list", set(`  - list: {elements: [{id: a, values: {p: x}}, {id: b, values: {p: w}}]}`, "{{id}}",
			"in/{{ values.p }}", "{{nothing}}"),
			[]string{"a in/x {{nothing}}", "b in/w {{nothing}}"}},
		{"a list for Go's templates",
			set(`  - list: {elements: [{id: A b, size: 3}], elementsYaml: "- {id: c, size: 40000000}"}`,
				"{{ .id | normalize }}", "{{ .size }}", "{{ index . \"id\" }}", goTemplate),
			[]string{"a-b 3 A b", "c 4e+07 c"}},
		{"folders", set(lead(gitGenerator(2, "directories: [{path: apps/*}]")), "{{path.basenameNormalized}}",
			"{{path}}", "{{path[1]}}"),
			[]string{"my-app apps/My_App My_App", "db apps/db db", "draft apps/draft draft", "web apps/web web"}},
		{"folders without some",
			set(lead(gitGenerator(2, "directories: [{path: apps/*}, {path: apps/d*, exclude: true}, {path: other}]")),
				"{{.path.basenameNormalized}}", "{{.path.path}}", "{{index .path.segments 0}}", goTemplate),
			[]string{"my-app apps/My_App apps", "web apps/web apps", "other other other"}},
		{"folders with a prefix",
			set(lead(gitGenerator(2,
				"directories: [{path: other}]\npathParamPrefix: my\nvalues: {v: '{{my.path.basename}}-1'}")), "{{my.path.basename}}", "{{my.path[0]}}", "{{values.v}}"),
			[]string{"other other other-1"}},
		{"files", set(lead(gitGenerator(2, "files: [{path: 'envs/*/config.json'}]")), "{{cluster.name}}",
			"{{path}}/{{path.filename}}", "{{tags.1}} {{cluster.size}} {{on}}"),
			[]string{"d1 envs/dev/config.json {{tags.1}} 1 {{on}}",
				"d2 envs/dev/sub/config.json {{tags.1}} 1.5 {{on}}", "p1 envs/prod/config.json b 3 true"}},
		{"files of lists", set(lead(gitGenerator(2,
			"files: [{path: envs/many.yaml}, {path: weird*}]\nvalues: {v: '{{.cluster.name}}!'}")), "{{.cluster.name}}", "{{.path.basenameNormalized}}/{{.path.filenameNormalized}}", "{{.values.v}}", goTemplate),
			[]string{"m1 envs/many.yaml m1!", "m2 envs/many.yaml m2!", "w weird--x/config-file.json w!"}},
		{"files without some", set(lead(gitGenerator(2,
			"files: [{path: envs}, {path: 'envs/**/sub/*', exclude: true}, {path: 'envs/many.yaml', exclude: true}]")), "{{.cluster.name}}", "{{.path.path}}", "c", goTemplate),
			[]string{"d1 envs/dev c", "p1 envs/prod c"}},
		{"a matrix", set("  - matrix:\n      generators:\n      "+gitGenerator(6,
			"directories: [{path: 'apps/[dw]*'}]")+"\n      - list: {elements: [{c: one}, {c: two}]}", "{{path.basename}}-{{c}}", "{{path}}", "{{c}}"),
			[]string{"db-one apps/db one", "db-two apps/db two", "draft-one apps/draft one",
				"draft-two apps/draft two", "web-one apps/web one", "web-two apps/web two"}},
		{"a matrix whose second generator names the first",
			set("  - matrix:\n      generators:\n      - list: {elements: [{env: prod}, {env: dev}]}\n      "+gitGenerator(6, "files: [{path: 'envs/{{.env}}/config.json'}]\nvalues: {a: '{{.env}}', b: '{{.cluster.name}}'}"), "{{.env}}-{{.cluster.name}}", "{{.values.a}}", "{{.values.b}}", goTemplate),
			[]string{"prod-p1 prod p1", "dev-d1 dev d1"}},
		{"a matrix of a matrix", set(`  - matrix:
      generators:
      - matrix:
          generators:
          - list: {elements: [{a: x}, {a: w}]}
          - list: {elements: [{b: "1"}]}
      - list: {elements: [{c: z}]}`, "{{a}}{{b}}{{c}}", "p", "d"),
			[]string{"x1z p d", "w1z p d"}},
		{"a merge", set(`  - merge:
      mergeKeys: [id]
      generators:
      - list: {elements: [{id: a, v: base}, {id: b, v: base}]}
      - list: {elements: [{id: b, v: over}, {id: c, v: lost}]}`, "{{id}}", "{{v}}", "d"),
			[]string{"a base d", "b over d"}},
		{"a merge of trees", set(`  - merge:
      mergeKeys: [id]
      generators:
      - list: {elements: [{id: a, t: {x: "1", w: "1"}}]}
      - list: {elements: [{id: a, t: {w: "2", x: ""}}]}`, "{{.id}}", "{{.t.x}}{{.t.w}}", "d", goTemplate),
			[]string{"a 2 d"}},
		{"a selector", set(`  - list: {elements: [{id: a, e: dev}, {id: b, e: prod}, {id: c}]}
    selector: {matchExpressions: [{key: e, operator: In, values: [prod, https://x]}]}`, "{{id}}", "p", "d"), []string{"b p d"}},
		{"a selector over trees", set(`  - list: {elements: [{id: a, t: {e: dev}}, {id: b, t: {e: prod}}]}
    selector: {matchLabels: {t.e: prod}}`, "{{.id}}", "p", "d", goTemplate), []string{"b p d"}},
		{"a template of the generator's own", set(`  - list:
      elements: [{id: a}]
      template: {metadata: {name: 'own-{{id}}'}, spec: {project: '', destination: {}, source: {path: own, repoURL: ''}}}
  - list: {elements: [{id: b}]}`, "{{id}}", "p", "d"), []string{"own-a own d", "b p d"}},
		{"a patch", set(`  - list: {elements: [{id: a, x: "yes"}, {id: b}]}`, "{{.id}}", "p", "d", "goTemplate: true",
			"templatePatch: |\n    {{- if .x }}\n    spec:\n      project: evil\n      source: {path: patched}\n      destination: {name: null}\n    {{- end }}"), []string{"a patched", "b p d"}},
		{"a generator without a name", set("  - {}\n  - list:\n  - selector: {}\n  - list: {elements: [{id: a}]}", "{{id}}", "p",
			"d"), []string{"a p d"}},
		{"no elements", set(`  - list: {elements: []}`, "{{id}}", "p", "d"), nil},
		{"functions", set(`  - list: {elements: [{id: 'Feature/Some_Long branch.NAME with words'}]}`,
			"{{ slugify 20 .id }}", "{{ slugify 20 false .id }}/{{ .id | upper | trunc 3 }}", "{{ (fromYaml \"a: [1,2]\").a | toJson }}", goTemplate),
			[]string{"feature-some-long feature-some-long-br/FEA [1,2]"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := makes(t, in, c.set)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("it makes %q, %v; want %q\n%s", got, err, c.want, c.set)
			}
		})
	}
}

func TestOfSeveralErrorsOfATemplateTheFirstIsTheSame(t *testing.T) {
	in := around(t, checkout(t, map[string]string{"a/x": "x"}))
	text := set(`  - list: {elements: [{id: a}]}`, "{{.other}}", "{{.another}}", "{{.none}}", goTemplate)
	for range 20 {
		if _, err := makes(t, in, text); err == nil || !strings.Contains(err.Error(), ": metadata: labels: ") {
			t.Fatalf("it fails with %v", err)
		}
	}
}

func TestWhatCannotBeResolvedHereIsRefusedWithANextStep(t *testing.T) {
	in := around(t, checkout(t, map[string]string{"a/bad.yaml": "- 1\n", "a/x": "x"}))
	cases := []struct{ name, set, want, hint string }{
		{"a missing key", set(`  - list: {elements: [{id: a}]}`, "{{.id}}", "{{.other}}", "d", goTemplate),
			`template of Application a: spec: source: path: .*map has no entry for key "other"`, ""},
		{"a pull request", set(`  - pullRequest: {github: {owner: x}}`, "id", "p", "d"),
			"generator 1: pullRequest: .* asks a cluster, a registry or a web service", "argocd appset generate"},
		{"an artifact in a registry", set(`  - oci: {repoURL: oci://x/y, directories: [{path: a}]}`, "id", "p", "d"),
			"generator 1: oci: .* asks a cluster, a registry or a web service", "argocd appset generate"},
		{"clusters without a file", set(`  - clusters: {}`, "{{name}}", "p", "d"),
			"generator 1: clusters: which clusters there are", "--clusters"},
		{"another repository", set(`  - git: {repoURL: 'https://user:hunter2@git.example.org/other', revision: HEAD, directories: [{path: '*'}]}`, "id", "p", "d"), "read https://git.example.org/other: .*network is not allowed", "--repo https://git.example.org/other=FOLDER"},
		{"numbers without Go's templates", set(`  - list: {elements: [{id: 1}]}`, "id", "p", "d"),
			"element 1: id is not a string", ""},
		{"names twice", set(`  - list: {elements: [{id: a}, {id: b}]}`, "same", "p", "d"),
			"two applications of the name same", ""},
		{"no name", set(`  - list: {elements: [{id: ''}]}`, "{{id}}", "p", "d"), "metadata.name is empty", ""},
		{"a matrix of three", set(`  - matrix: {generators: [{list: {}}, {list: {}}, {list: {}}]}`, "id", "p", "d"),
			"has 3 generators, and needs two", ""},
		{"a contradiction", set(`  - matrix: {generators: [{list: {elements: [{id: a}]}}, {list: {elements: [{id: b}]}}]}`, "{{id}}", "p", "d"), "both generators set id", ""},
		{"nested too deeply", set(`  - matrix: {generators: [{matrix: {generators: [{matrix: {generators: []}}, {list: {}}]}}, {list: {}}]}`, "id", "p", "d"), "nested too deeply", ""},
		{"a bad file", set(`  - git: {repoURL: `+repoURL+`, revision: HEAD, files: [{path: a/bad.yaml}]}`, "id", "p",
			"d"), "a/bad.yaml: it holds neither a mapping nor", ""},
		{"a merge without keys", set(`  - merge: {generators: [{list: {}}, {list: {}}]}`, "id", "p", "d"),
			"needs two generators or more, and mergeKeys", ""},
		{"a generator without a name in a matrix", set(`  - matrix: {generators: [{list: {elements: [{id: a}]}}, {}]}`,
			"{{id}}", "p", "d"), "matrix: an item names no generator", ""},
		{"an unknown generator", set(`  - lists: {}`, "id", "p", "d"), "lists is no generator that is known here", ""},
		{"an unknown option", set(`  - list: {}`, "id", "p", "d", "goTemplate: true",
			"goTemplateOptions: [missing=error]"), `"missing=error" is not known`, ""},
		{"the environment", set(`  - list: {elements: [{id: a}]}`, `{{ env "HOME" }}`, "p", "d", goTemplate),
			`function "env" not defined`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := makes(t, in, c.set)
			if err == nil {
				t.Fatalf("it makes %q", got)
			}
			if !matches(c.want, err.Error()) || !strings.Contains(diag.HintOf(err), c.hint) ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v (%s); want %s (%s)", err, diag.HintOf(err), c.want, c.hint)
			}
			if code := diag.ExitOf(err); code != diag.ExitInput && code != diag.ExitSource {
				t.Errorf("exit code %d", code)
			}
			line := 1 // of a generator lint knows more
			for _, field := range []string{"{{.other}}", `{{ env "HOME" }}`} {
				if before, _, ok := strings.Cut(c.set, field); ok {
					line = 1 + strings.Count(before, "\n")
				}
			}
			if !strings.HasPrefix(err.Error(), fmt.Sprintf("ApplicationSet argocd/set: set.yaml:%d: ", line)) {
				t.Errorf("no object and position: %v", err)
			}
		})
	}
}

func TestAFieldOfAWrongTypeHasItsLine(t *testing.T) {
	in := around(t, checkout(t, nil))
	wrong := strings.Replace(set("  - list: {elements: [{id: a}]}", "{{id}}", "p", "d"), "destination: {namespace: shop,",
		"destination: {namespace: [shop],", 1)
	_, err := makes(t, in, wrong)
	want := "ApplicationSet argocd/set: set.yaml:13: read: spec.destination.namespace is a list, which it must not be"
	if err == nil || err.Error() != want {
		t.Errorf("of a template: %v", err)
	}
	o, err := appset.Parse([]byte(strings.Replace(wrong, "elements: [{id: a}]", "", 1)+`---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
spec:
  sources:
  - {repoURL: x, path: web}
  - repoURL: x
    helm:
      valueFiles: values.yaml
`), "all.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want = "Application web: all.yaml:23: read: spec.sources.helm.valueFiles is a text, which it must not be: write a list, " +
		"each item behind a dash"
	if len(o.Failed) != 1 || o.Failed[0].Error() != want {
		t.Errorf("of an Application: %v", o.Failed)
	}
}

func TestClustersComeFromTheSecretsThatRegisterThem(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"clusters.yaml": `apiVersion: v1
kind: Secret
metadata: {name: b, labels: {argocd.argoproj.io/secret-type: cluster, env: prod}, annotations: {region: eu,
  argocd.argoproj.io/refresh: hard, kubectl.kubernetes.io/last-applied-configuration: '{"token": "hunter2"}'}}
stringData: {name: Prod_1, server: 'https://1.2.3.4', config: '{"bearerToken": "hunter2"}'}
---
apiVersion: v1
kind: Secret
metadata: {name: a, labels: {argocd.argoproj.io/secret-type: cluster, env: dev}}
data: {name: ZGV2, server: aHR0cHM6Ly9kZXY=, project: dGVhbQ==}
---
apiVersion: v1
kind: Secret
metadata: {name: other}
`})
	clusters, err := appset.ReadClusters(files.Disk{}, filepath.Join(dir, "clusters.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	in := &appset.Surroundings{Repositories: &workspace.Repositories{}, Clusters: clusters}
	for _, c := range []struct {
		set  string
		want []string
	}{
		{set("  - clusters: {values: {v: '{{metadata.labels.env}}'}}", "{{nameNormalized}}", "{{values.v}}",
			"{{server}}"),
			[]string{"prod-1 prod https://1.2.3.4", "dev dev https://dev",
				"in-cluster {{metadata.labels.env}} https://kubernetes.default.svc"}},
		{set("  - clusters: {selector: {matchLabels: {env: prod}}}", "{{.nameNormalized}}",
			"{{.metadata.annotations.region}}", "{{.name}}", goTemplate), []string{"prod-1 eu Prod_1"}},
		{set("  - clusters: {selector: {matchLabels: {env: prod}}}", "{{.nameNormalized}}",
			"{{.metadata.annotations | toJson}}", "d", goTemplate), []string{`prod-1 {"region":"eu"} d`}},
		{set("  - clusters: {flatList: true}", "all", "{{ range .clusters }}{{.name}},{{ end }}", "d", goTemplate),
			[]string{"all Prod_1,dev,in-cluster, d"}},
		{set("  - clusters: {}\n    selector: {matchLabels: {server: 'https://dev'}}", "{{name}}", "{{project}}", "d"),
			[]string{"dev team d"}},
	} {
		if got, err := makes(t, in, c.set); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("it makes %q, %v; want %q", got, err, c.want)
		}
	}
	put(t, dir, map[string]string{"none.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: x}\n"})
	if _, err := appset.ReadClusters(files.Disk{}, filepath.Join(dir, "none.yaml")); diag.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}
