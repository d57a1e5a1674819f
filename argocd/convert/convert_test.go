package convert_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

// converted converts a text. Doing it again changes nothing, and lines end as those of the text do.
func converted(t *testing.T, text string) *convert.Result {
	t.Helper()
	file := func(text string) *convert.Result {
		c, err := convert.File([]byte(text), "app.yaml", convert.Options{Plugin: "rollstamp"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := file(text)
	if again := file(string(c.Text)); string(again.Text) != string(c.Text) {
		t.Errorf("again it is\n%s", again.Text)
	}
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	if got := string(file(crlf(text)).Text); got != crlf(string(c.Text)) {
		t.Errorf("with CRLF it is\n%q\nwant\n%q", got, crlf(string(c.Text)))
	}
	annotate := func(text string) string {
		out, err := convert.Annotate([]byte(text), "app.yaml", "example.org/paths", map[string]string{"Application web": "."})
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := annotate(crlf(text)); got != crlf(annotate(text)) {
		t.Errorf("with CRLF it is annotated as\n%q\nwant\n%q", got, crlf(annotate(text)))
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
	if again := converted(t, after); string(again.Text) != after || again.Already != 1 {
		t.Errorf("a second time: %v\n%s", again.Left, again.Text)
	}
}

func TestTextsOfSeveralLinesStayBlocks(t *testing.T) {
	const source = "spec:\n  source:\n    repoURL: https://git.example.org/a\n    path: web\n"
	text := head + source + "    helm:\n      valuesObject:\n        # a blank \n        a: 1 # \U0001F937\n        b: |\n          x \t\n          y \uE000\n" +
		"      values: |\n        # two  \n\n        c: \U0001F937 \U0001F680\n"
	want := head + source + "    plugin:\n      name: rollstamp\n      parameters:\n" +
		"        - name: values\n          string: |\n            # two  \n\n            c: \U0001F937 \U0001F680\n" +
		"        - name: valuesObject\n          string: |\n            # a blank \n            a: 1 # \U0001F937\n            b: |\n              x \t\n              y \uE000\n"
	if got := string(converted(t, text).Text); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// source returns the spec of an Application whose source has these lines.
func source(lines ...string) string { return "spec:\n  source:\n" + indented(4, lines) }

// sources returns the spec of an Application with a list of sources, of these lines.
func sources(lines ...string) string { return "spec:\n  sources:\n" + indented(2, lines) }

func indented(by int, lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.Repeat(" ", by) + line + "\n")
	}
	return out.String()
}

// plugin returns the lines of rollstamp as a plugin, with these of its parameters.
func plugin(parameters ...string) []string {
	out := []string{"plugin:", "  name: rollstamp"}
	if len(parameters) > 0 {
		out = append(out, "  parameters:")
	}
	for _, line := range parameters {
		out = append(out, "    "+line)
	}
	return out
}

func TestSourcesOfEveryFormAreConverted(t *testing.T) {
	with := func(before []string, parameters ...string) string {
		return source(append(before, plugin(parameters...)...)...)
	}
	path := []string{"path: p"}
	cases := []struct{ name, before, after string }{
		{"no options", source("repoURL: u", "path: p # here", "targetRevision: HEAD"),
			with([]string{"repoURL: u", "path: p # here"}) + "    targetRevision: HEAD\n"},
		{"at the end", strings.TrimSuffix(source("repoURL: u", "path: p"), "\n"),
			strings.TrimSuffix(with([]string{"repoURL: u", "path: p"}), "\n")},
		{"one line", "spec: {source: {repoURL: u, path: p, " +
			"kustomize: {images: [a=b:1], commonLabels: {a: b}, replicas: [{name: web, count: 2}]}}}\n",
			"spec: {source: {repoURL: u, path: p, plugin: {name: rollstamp, " +
				"parameters: [{name: images, array: ['a=b:1']}, {name: replicas, map: {web: \"2\"}}, " +
				"{name: commonLabels, map: {a: b}}]}}}\n"},
		{"one line without options", "spec: {source: {repoURL: u, path: p, targetRevision: x}}\n",
			"spec: {source: {repoURL: u, path: p, plugin: {name: rollstamp}, targetRevision: x}}\n"},
		{"one line inside", source("helm: {releaseName: x} # why", "path: p"),
			source("# why", "plugin:", "  name: rollstamp", "  parameters:", "    - name: releaseName", "      string: x", "path: p")},
		{"comments whose line is gone", sources("- helm: # one", "    releaseName: x # two", "    parameters: # three",
			"    - name: a # four", "      value: b", "    # five", "    values: |", "      # of the text", "    # six", "  path: p"),
			sources("- # one", "  # four", "  # six", "  plugin:", "    name: rollstamp", "    parameters:",
				"      # five", "      - name: values", "        string: |", "          # of the text",
				"      - name: parameters # three", "        map:", "          a: b", "      - name: releaseName",
				"        string: x # two", "  path: p")},
		{"the first of an item",
			sources("- helm:", "    skipCrds: true", "  path: p", "- repoURL: u", "  ref: values"),
			sources("- plugin:", "    name: rollstamp", "    parameters:", "      - name: skipCrds",
				"        string: \"true\"", "  path: p", "- repoURL: u", "  ref: values")},
		{"patches", source("path: p", "kustomize:", "  patches:", "  - target: {kind: Deployment}", "    patch: |-",
			"      - op: remove", "        path: /a"),
			with(path, "- name: patches", "  array:", "    - |", "      target: {kind: Deployment}", "      patch: |-",
				"        - op: remove", "          path: /a")},
		{"jsonnet", source("path: p", "directory:", "  recurse: true", "  jsonnet:",
			"    extVars: [{name: a, value: b}, {name: c, value: '1', code: true}]", "    libs: [lib]"),
			with(path, "- name: recurse", "  string: \"true\"", "- name: extVars", "  map:", "    a: b",
				"- name: extVarsCode", "  map:", "    c: '1'", "- name: libs", "  array: [lib]")},
		{"values of the same repository",
			sources("- repoURL: https://x/r.git", "  ref: values", "- repoURL: https://x/r", "  path: p", "  helm:",
				"    valueFiles: [$values/a.yaml]"),
			sources("- repoURL: https://x/r.git", "  ref: values", "- repoURL: https://x/r", "  path: p", "  plugin:",
				"    name: rollstamp", "    parameters:", "      - name: valueFiles", "        array: [$values/a.yaml]",
				"      - name: refs", "        map:", "          values: \".\"")},
		{"options that are empty", source("path: p", "helm: {}"), with(path)},
		{"options that are null", source("helm:", "path: p"), with(nil) + "    path: p\n"},
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
	inLine := func(options string) string { return "spec:\n  source: {repoURL: u, path: p, " + options + "}\n" }
	cases := []struct{ name, spec, want string }{
		{"values of another repository", sources("- {repoURL: v, ref: values}",
			"- {repoURL: u, path: p, helm: {valueFiles: [$values/a.yaml]}}"), `\$values/a.yaml from another repository`},
		{"a chart with values of a repository", sources("- {repoURL: u, ref: values}",
			"- {repoURL: u, chart: c, helm: {valueFiles: [$values/a.yaml]}}"), `\$values/a.yaml from another repository`},
		{"an unknown option", inLine("helm: {valueFile: a}"), "options that rollstamp does not know: valueFile"},
		{"a list of options", inLine("helm: [a]"), "helm: is not a mapping"},
		{"a text of options", inLine("kustomize: text"), "kustomize: is not a mapping"},
		{"a list in a field", inLine("directory: {jsonnet: [a]}"), "directory.jsonnet: is not a mapping"},
		{"a list as a label", inLine("kustomize: {commonLabels: {a: [b]}}"), "holds a, which is not a text"},
		{"a list as a value", inLine("helm: {parameters: [{name: a, value: [b]}]}"), "holds a, which is not a text"},
		{"an order", inLine("helm: {parameters: [{name: a, value: '1'}, {name: a, value: '2'}]}"),
			"sets a twice or in parts"},
		{"parts", inLine("helm: {parameters: [{name: a.b, value: '1'}, {name: a, value: '{x}', forceString: true}]}"),
			"sets a twice or in parts"},
		{"a plugin", inLine("plugin: {name: x}"), "has a plugin already"},
		{"an alias in its options", "spec:\n  info: [{name: a, value: &p x-}]\n  source:\n    repoURL: u\n    path: p\n    kustomize:\n      namePrefix: *p\n",
			"^its text has anchors, .* yq -P 'explode"},
		{"an alias of it", "spec:\n  source: &s\n    repoURL: u\n    path: p\n  copy: *s\n", "^its text has anchors"},
		{"an anchor in braces", inLine("kustomize: {namePrefix: &p x-}"), "^its text has anchors"},
		{"a text for a truth", inLine("helm: {skipCrds: '{{ .p }}'}"), "helm.skipCrds: is a text: write true or false, without quotes"},
		{"a truth in quotes", inLine("helm: {skipCrds: 'true'}"), "helm.skipCrds: is a text: write true or false, without quotes"},
		{"a misspelt field", inLine("kustomise: {namePrefix: a-}"), "a field that Argo CD does not know: kustomise; did you mean kustomize?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := head + c.spec
			got := converted(t, before)
			if string(got.Text) != before || len(got.Left) != 1 ||
				!regexp.MustCompile(c.want).MatchString(got.Left[0].Message) || got.Left[0].Pos.Line < 5 {
				t.Errorf("left %v, got\n%s", got.Left, got.Text)
			}
		})
	}
	for name, text := range map[string]string{
		"two kinds": head + "spec:\n  source:\n    path: p\n    helm: {releaseName: a}\n    kustomize: {namePrefix: a}\n",
		"three kinds": head + "spec:\n  source:\n    path: p\n    kustomize: {namePrefix: a}\n" +
			"    directory: {recurse: true}\n    helm: {}\n",
		"no YAML": head + "spec:\n\tx: y\n",
	} {
		c, err := convert.File([]byte(text), "app.yaml", convert.Options{Plugin: "rollstamp"})
		at := "app.yaml:"
		if strings.HasSuffix(name, " kinds") {
			at = "app.yaml:8: "
		}
		if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// Options that say nothing choose no kind: beside others they go, and by themselves the plugin takes their place.
func TestOptionsThatSayNothingGo(t *testing.T) {
	const path = "    path: p\n"
	const begin = head + "spec:\n  source:\n    repoURL: u\n"
	const plugin = "    plugin:\n      name: rollstamp\n"
	const prefix = "      parameters:\n        - name: namePrefix\n          string: a-\n"
	for _, c := range []struct{ name, before, after string }{
		{"null and empty", path + "    helm: null\n    directory:\n      jsonnet: {}\n      recurse: false\n", path + plugin},
		{"before what says something", "    helm: {}\n" + path + "    kustomize:\n      namePrefix: a-\n    directory: {}\n",
			path + plugin + prefix},
		{"in braces", "", ""},
		{"a truth value in one letter", path + "    helm: {skipCrds: y, skipTests: n}\n", path + plugin +
			"      parameters:\n        - name: skipCrds\n          string: \"true\"\n"},
		{"no tree instead of a text", path + "    helm: {valuesObject: {}, values: 'a: 1'}\n", path + plugin +
			"      parameters:\n        - name: values\n          string: 'a: 1'\n" +
			"        - name: valuesObject\n          string: \"{}\"\n"},
		{"what Argo CD takes for nothing", path + "    kustomize: {forceCommonLabels: true}\n", path + plugin},
	} {
		before, want := begin+c.before, begin+c.after
		if c.before == "" {
			before = head + "spec:\n  source: {helm: null, path: p, kustomize: {namePrefix: a-}, directory: {}}\n"
			want = head + "spec:\n  source: {path: p, plugin: {name: rollstamp, parameters: [{name: namePrefix, string: a-}]}}\n"
		}
		if got := converted(t, before); string(got.Text) != want || len(got.Left) > 0 {
			t.Errorf("%s: left %v, got\n%s", c.name, got.Left, got.Text)
		}
	}
	for _, spec := range []string{"directory: {recurs: true}, helm: {}", "helm: {}, directory: {recurs: true}"} {
		before := head + "spec:\n  source: {path: p, " + spec + "}\n"
		if got := converted(t, before); string(got.Text) != before || len(got.Left) != 1 ||
			!strings.Contains(got.Left[0].Message, "does not know: recurs") {
			t.Errorf("%s: left %v, got\n%s", spec, got.Left, got.Text)
		}
	}
}

// A comment below the options that begins no further to the right than they do is about what follows.
func TestACommentOnWhatFollowsStaysThere(t *testing.T) {
	const begin = head + "spec:\n  source:\n    path: p\n"
	for _, rest := range []string{
		"\n  # of the destination\n  # and more\n  destination: {}\n", "    # of the revision\n    targetRevision: v1\n",
		"  # of nothing\n", "\n\n  # of the destination\n\n  destination: {}\n",
	} {
		before := begin + "    directory:\n      recurse: true\n      # of the options\n" + rest
		want := begin + "    # of the options\n    plugin:\n      name: rollstamp\n      parameters:\n" +
			"        - name: recurse\n          string: \"true\"\n" + rest
		if got := converted(t, before); string(got.Text) != want {
			t.Errorf("got\n%s\nwant\n%s", got.Text, want)
		}
	}
}

// The plugin goes by the files of a folder, and Argo CD by the options of a source.
func TestOptionsOfAnotherKindThanTheFolderStayNative(t *testing.T) {
	kindOf := func(_ string, _ workspace.Revision, path string) (render.Kind, bool) {
		return render.Kind(path), path != "unknown"
	}
	o := convert.Options{Plugin: "rollstamp", KindOf: kindOf}
	for spec, want := range map[string]string{
		"path: helm, directory: {recurse: true}":       "helm is a Helm chart, and directory has options of a folder",
		"path: kustomize, helm: {releaseName: a}":      "kustomize is a kustomization, and helm has options of a Helm",
		"path: helm, directory: {}":                    "",
		"path: unknown, directory: {recurse: true}":    "",
		"path: '{{path}}', directory: {recurse: true}": "",
		"path: plain, directory: {recurse: true}":      "",
		"chart: c, helm: {releaseName: a}":             "",
	} {
		got, err := convert.File([]byte(head+"spec:\n  source: {repoURL: u, "+spec+"}\n"), "app.yaml", o)
		switch {
		case err != nil:
			t.Errorf("%s: %v", spec, err)
		case want == "" && len(got.Changed) != 1,
			want != "" && (len(got.Left) != 1 || !strings.HasPrefix(got.Left[0].Message, want)):
			t.Errorf("%s: changed %v, left %v", spec, got.Changed, got.Left)
		}
	}
	dry := head + "spec:\n  sourceHydrator:\n    drySource: {repoURL: u, path: helm, directory: {}}\n"
	if got, err := convert.File([]byte(dry), "app.yaml", o); err != nil || len(got.Left) != 1 {
		t.Errorf("a dry source, of which Argo CD takes nothing out: %v, %v", got, err)
	}
}

// An anchor keeps no more native than the sources that it touches.
func TestAnchorsElsewhereKeepNothingNative(t *testing.T) {
	const path = "  - repoURL: u\n    path: p\n"
	const second = "  - &second\n    repoURL: u\n    path: q\n"
	const rest = "  # of what follows\n  destination: &d {namespace: web}\n  info: [{name: *a, value: *a}]\n"
	const begin = head + "spec:\n  project: &a default\n  sources:\n"
	before := begin + path + "    kustomize:  # mine\n      images:\n      - a:1\n\n      # a comment\n" +
		"      namePrefix: x-\n" + second + rest
	want := begin + path + "    # mine\n    plugin:\n      name: rollstamp\n      parameters:\n        # a comment\n" +
		"        - name: namePrefix\n          string: x-\n        - name: images\n          array:\n            - a:1\n" +
		second + "    plugin:\n      name: rollstamp\n" + rest
	if c := converted(t, before); string(c.Text) != want || len(c.Left) != 0 || len(c.Changed) != 2 {
		t.Errorf("left %v, changed %v, got\n%s\nwant\n%s", c.Left, c.Changed, c.Text, want)
	}
	braces := func(options string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web}, # ours\n" +
			" spec: {source: {repoURL: 'a } b', path: p, " + options + "}}}\n"
	}
	c := converted(t, braces("kustomize: {namePrefix: x-}"))
	want = braces("plugin: {name: rollstamp, parameters: [{name: namePrefix, string: x-}]}")
	if string(c.Text) != want || len(c.Left) != 0 {
		t.Errorf("left %v, got\n%s\nwant\n%s", c.Left, c.Text, want)
	}
}

func TestWhatIsLeftIsNamedWithTheLineOfItsField(t *testing.T) {
	const source = "spec:\n  source:\n    path: web\n"
	for text, line := range map[string]int{
		"    helm:\n      releaseName: a\n      values: [a]\n":                                         9,
		"    helm:\n      releaseName: a\n      unknown: a\n":                                          9,
		"    directory:\n      jsonnet:\n        libs: [a]\n        extras: []\n":                      10,
		"    helm:\n      skipCrds: true\n      parameters:\n      - {name: a}\n      - {name: a.b}\n": 9,
		"    helms: {}\n": 7,
		"    kustomize: {namePrefix: a,\n     x: b}\n": 8,
	} {
		c := converted(t, head+source+text)
		if len(c.Left) != 1 || c.Left[0].Pos.Line != line {
			t.Errorf("%q: left %v, want line %d", text, c.Left, line)
		}
	}
}

func TestValuesOfAnotherRepositoryAreConvertedWhereTheyArePinned(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	source := func(rev string) string {
		return head + sources("- {repoURL: https://x/values, targetRevision: "+rev+", ref: v}",
			"- {repoURL: https://charts, chart: c, helm: {valueFiles: [$v/a.yaml]}}")
	}
	const want = `plugin: {name: rollstamp, parameters: [{name: valueFiles, array: [$v/a.yaml]}, {name: refs, map: {v: "https://x/values@` + commit + `"}}]}`
	if c := converted(t, source(commit)); !strings.Contains(string(c.Text), want) || len(c.Left)+len(c.Hints) != 0 {
		t.Errorf("left %v, got\n%s", c.Left, c.Text)
	}
	if c := converted(t, source("main")); len(c.Left) != 1 || !strings.Contains(c.Left[0].Message, "--pin") {
		t.Errorf("left %v, got\n%s", c.Left, c.Text)
	}
	pin := func(address string, rev workspace.Revision) (string, error) {
		if address != "https://x/values" || rev.Name != "main" && rev.Name != "" {
			t.Errorf("asked for %s at %s", address, rev)
		}
		return commit, nil
	}
	c, err := convert.File([]byte(source("main")), "app.yaml", convert.Options{Plugin: "rollstamp", Pin: pin})
	if err != nil || !strings.Contains(string(c.Text), want) || len(c.Left) != 0 || len(c.Hints) != 1 {
		t.Errorf("%v, got\n%s", err, c.Text)
	}
	c, err = convert.File([]byte(source("''")), "app.yaml", convert.Options{Plugin: "rollstamp", Pin: pin})
	if err != nil || len(c.Hints) != 1 || !strings.Contains(c.Hints[0].Message, "no longer follows its default branch: ") {
		t.Errorf("%v, got %v", err, c.Hints)
	}
	// What no plugin fetches stays native, at a commit as well.
	for _, rev := range []string{"main", commit} {
		text := strings.Replace(source(rev), "https://x/values", "file:///srv/values", 1)
		c, err = convert.File([]byte(text), "app.yaml", convert.Options{Plugin: "rollstamp", Pin: pin})
		if err != nil || string(c.Text) != text || len(c.Left) != 1 ||
			!strings.Contains(c.Left[0].Message, "not fetched by file; copy the files into") {
			t.Errorf("%v, left %v, got\n%s", err, c.Left, c.Text)
		}
	}
}
