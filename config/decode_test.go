package config

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func decodeFile(text string) (*File, error) {
	f := newFile("")
	where, err := decode([]byte(text), ".rollstamp.yaml", InFile, f.given)
	f.where = where
	return f, err
}

func TestMistakesAreReportedWithTheirLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"namspace: x", `:1: unknown field "namspace"; did you mean namespace?`},
		{"level: 1\nHASHKEY: optional", `:2: unknown field "HASHKEY"; did you mean hashKey?`},
		{"xyzzy: 1", `:1: unknown field "xyzzy"`},
		{"namespace: a\nlevel: 1\nnamespace: b", `:3: field "namespace" is given twice, first in line 1`},
		{
			"workloads:\n- match: {kind: Deployment}\n  mod: on",
			`:3: workloads[0]: unknown field "mod"; did you mean mode?`,
		},
		{
			"workloads:\n- match: {kind: Deployment, kind: Job}",
			`:2: workloads[0].match: field "kind" is given twice, first in line 2`,
		},
		{"namespace: 12", ":1: namespace: want a string, found a whole number; put it in quotes"},
		{"kubeVersion: 1.30", ":1: kubeVersion: want a string, found a number; put it in quotes"},
		{"hashDomain: yes\nnamespace: true", ":2: namespace: want a string, found true or false; put it in quotes"},
		{"namespace: 2024-01-01", ":1: namespace: want a string, found a date; put it in quotes"},
		{"namespace:", ":1: namespace: want a string, found nothing"},
		{"namespace: ''", ":1: namespace: is empty"},
		{"namespace: [a]", ":1: namespace: want a string, found a list"},
		{"namespace: !custom x", ":1: namespace: want a string, found !custom"},
		{"level: one", ":1: level: want a whole number, found a string"},
		{"level: 1.5", ":1: level: want a whole number, found a number"},
		{"level: 0", ":1: level: level 0 is not known"},
		{"level: 2", ":1: level: level 2 is not known to this version, whose newest is 1"},
		{"level: 99999999999999999999999", ":1: level: want a whole number, found a number"},
		{"level: 0xffffffffffffffff", `:1: level: "0xffffffffffffffff" is out of range`},
		{"liveVolumes: 1", ":1: liveVolumes: want true or false, found a whole number"},
		{"liveVolumes: 'true'", ":1: liveVolumes: want true or false, found a string"},
		{"apiVersions: v1", ":1: apiVersions: want a list, found a string"},
		{"apiVersions:\n- v1\n- 2", ":3: apiVersions[1]: want a string, found a whole number; put it in quotes"},
		{"render: []", ":1: render: want a map, found a list"},
		{"- a", ":1: want a map, found a list"},
		{"hello", ":1: want a map, found a string"},
		{"hashKey: requird", `:1: hashKey: "requird" is not one of optional or required; did you mean required?`},
		{"failOn: warn", `:1: failOn: "warn" is not one of error, warning, info or never`},
		{
			"deny: [network, exec-plugin]",
			`:1: deny[1]: "exec-plugin" is not one of network, exec-plugins, outside-root, stores, store-values, copy-secrets or moving-refs; ` +
				`did you mean exec-plugins?`,
		},
		{"kubeVersion: latest", `:1: kubeVersion: "latest" is not a version of Kubernetes`},
		{"render:\n  include: ['[']", ":2: render.include[0]: pattern \"[\": syntax error in pattern"},
		{"render:\n  exclude: ['']", ":2: render.exclude[0]: pattern is empty"},
		{"ignore:\n- {}", ":2: ignore[0]: an empty match would fit everything"},
		{
			"ignore:\n- labels: 'a in'",
			`:2: ignore[0].labels: label selector "a in": unable to parse requirement: found '' expected: '('`,
		},
		{"ignore:\n- kind: Deployment", `:2: ignore[0].kind: "Deployment" is not one of ConfigMap or Secret`},
		{"workloads:\n- mode: on", `:2: workloads[0]: field "match" is missing`},
		{
			"workloads:\n- match: {name: x}\n  mode: always",
			`:3: workloads[0].mode: "always" is not one of auto, on or off`,
		},
		{"kinds:\n- group: a.io", `:2: kinds[0]: field "kind" is missing`},
		{"kinds:\n- kind: A", ":2: kinds[0]: a rule for a kind needs template, podSpec, references or copies"},
		{
			"kinds:\n- kind: A\n  podSpec: spec",
			":2: kinds[0]: a rule for a kind that is stamped needs template or annotations",
		},
		{"kinds:\n- kind: A\n  template: spec..x", `:3: kinds[0].template: path "spec..x": "" is not a field`},
		{
			"kinds:\n- kind: A\n  template: spec.a\n- kind: B\n  template: spec.b\n- kind: A\n  template: spec.c",
			`:6: kinds[2]: there is a rule for kind A of group "" already`,
		},
		{
			"kinds:\n- kind: A\n  stamp: false\n  references: [{kind: Secret}]",
			`:4: kinds[0].references[0]: field "path" is missing`,
		},
		{
			"kinds:\n- kind: A\n  stamp: false\n  references: [{path: '', kind: Secret}]",
			":4: kinds[0].references[0]: the path of a reference is empty",
		},
		{
			"kinds:\n- kind: A\n  stamp: false\n  references: [{path: a, kind: Pod}]",
			`:4: kinds[0].references[0].kind: "Pod" is not one of ConfigMap or Secret`,
		},
		{
			"kinds:\n- kind: A\n  stamp: false\n  references: [{path: a, kind: Secret, name: ., key: k}]",
			":4: kinds[0].references[0]: a reference whose path leads to the name itself has no field for a key",
		},
		{"namespace: &a x\nhashDomain: *a", ":1: namespace: anchors and aliases are not allowed here"},
		{"namespace: x\n<<: {level: 1}", `:2: unknown field "<<"`},
		{"? [a]\n: b", `:1: unknown field ""`},
		{"level: 1\n---\nlevel: 1", ":2: a second document; the file holds one"},
		{"level: 1\n\tnamespace: x", ":2: found a tab character that violates indentation"},
		{"namespace: [a", ":1: did not find expected"},
		{"compat: {reloader: only}}", ":1: did not find expected key"},
		{"compat:\n  reloader: only\n}\n", ":3: did not find expected key"},
		{"level: 1\n namespace: a\n", ":2: mapping values are not allowed"},
		{"namespace: \xff", "invalid"},
	} {
		_, err := decodeFile(c.text)
		if err == nil {
			t.Errorf("%q: no error", c.text)
			continue
		}
		fails(t, err, c.want)
		if !strings.HasPrefix(err.Error(), ".rollstamp.yaml") {
			t.Errorf("%q: no file in error %v", c.text, err)
		}
	}
}

func TestAllMistakesAreReportedAtOnceUpToALimit(t *testing.T) {
	_, err := decodeFile("namspace: x\nlevel: one\nfailOn: x\n")
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 || diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("%d lines, exit code %d:\n%v", got, diag.ExitOf(err), err)
	}
	_, err = decodeFile("apiVersions: [" + strings.Repeat("1,", 5000) + "]")
	more := strings.Contains(err.Error(), "4990 more mistakes")
	if got := strings.Count(err.Error(), "\n") + 1; got != maxErrors+1 || !more {
		t.Errorf("%d lines", got)
	}
}

func TestAFileWithoutContentSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "null", "{}"} {
		f, err := decodeFile(text)
		if err != nil || len(f.where) != 0 {
			t.Errorf("%q: %v, %v", text, err, f.where)
		}
	}
}

func TestARuleForAKindFillsInWhatFollowsFromItsTemplate(t *testing.T) {
	f, err := decodeFile(`
kinds:
- group: example.com
  kind: Pool
  template: spec.pools[*].podTemplate
  references:
  - {path: spec.auth.secretRef, kind: Secret}
  - {path: spec.configName, kind: ConfigMap, name: ""}
  - {path: spec.tls, kind: Secret, name: secretName, key: certKey}
- kind: Other
  podSpec: spec.pod
  annotations: spec.podAnnotations
- kind: Silent
  template: spec.template
  stamp: false
`)
	if err != nil {
		t.Fatal(err)
	}
	pool, other, silent := f.given.Kinds.Value[0], f.given.Kinds.Value[1], f.given.Kinds.Value[2]
	const want = "spec.pools[*].podTemplate.spec spec.pools[*].podTemplate.metadata.annotations"
	if got := pool.PodSpec.String() + " " + pool.Annotations.String(); got != want {
		t.Errorf("got %s", got)
	}
	if len(pool.PodSpec.Steps()) != 5 || pool.PodSpec.Steps()[2].Each != Items {
		t.Errorf("got %v", pool.PodSpec.Steps())
	}
	var names []string
	for _, r := range pool.References {
		names = append(names, r.Path.String()+"/"+r.Name.String()+"/"+r.Key.String())
	}
	if got := strings.Join(names, " "); got != "spec.auth.secretRef/name/ spec.configName// spec.tls/secretName/certKey" {
		t.Errorf("got %s", got)
	}
	if other.PodSpec.String() != "spec.pod" || other.Annotations.String() != "spec.podAnnotations" {
		t.Errorf("got %+v", other)
	}
	if !pool.IsStamped() || !other.IsStamped() || silent.IsStamped() {
		t.Error("stamp is not true by default, or false when set")
	}
}

func FuzzDecodingNeverPanics(f *testing.F) {
	f.Add("kinds:\n- kind: A\n  template: a[*].*\n")
	f.Add("workloads: [{match: {labels: 'a in (b)'}, mode: on}]")
	f.Add("&a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := decodeFile(text); err != nil && diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("exit code %d: %v", diag.ExitOf(err), err)
		}
	})
}
