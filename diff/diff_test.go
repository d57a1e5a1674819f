package diff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// side stamps manifests as one application.
func side(t *testing.T, label, text string) diff.Side {
	t.Helper()
	out := &render.Output{Kind: render.KindPlain, Text: []byte(text)}
	result, err := pipeline.Run(context.Background(), app.New(app.Spec{Stream: out, Stamping: &app.Stamping{}}))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return diff.Side{Label: label, Apps: []*diff.App{{Name: "app", Render: pipeline.NewRendered(result)}}}
}

func compare(t *testing.T, from, to string) *diff.Comparison {
	t.Helper()
	c, err := diff.Compare(side(t, "from", from), side(t, "to", to))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// deployment has a pod template: metadata and the fields of its only container.
func deployment(metadata, container, pod string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {metadata: {" + metadata +
		"}, spec: {containers: [{name: c, image: x" + container + "}]" + pod + "}}}\n"
}

func TestWhatNoContainerReadsIsNoise(t *testing.T) {
	labelled := func(kind string) func(string) string {
		return func(pair string) string { return deployment(kind+": {"+pair+"}", "", "") }
	}
	labels, notes := labelled("labels"), labelled("annotations")
	container := func(fields string) string { return deployment("", ", "+fields, "") }
	pod := func(fields string) string { return deployment("", "", ", "+fields) }
	const a, b = "0123456789abcdef", "fedcba9876543210"
	for what, c := range map[string]struct {
		write    func(string) string
		from, to string
		noise    bool
	}{
		"the chart's version":              {labels, "helm.sh/chart: a-1", "helm.sh/chart: a-2", true},
		"a label of somebody's":            {labels, "team: a", "team: b", false},
		"a chart's checksum":               {notes, "checksum/config: " + a, "checksum/config: " + b, true},
		"a checksum that came":             {notes, "x: y", "x: y, checksum/config: " + b, true},
		"something else called a checksum": {notes, "checksum/config: fast", "checksum/config: slow", false},
		"an annotation that is read":       {notes, "prometheus.io/port: '1'", "prometheus.io/port: '2'", false},
		"ports in another order": {container, "ports: [{containerPort: 1}, {containerPort: 2}]",
			"ports: [{containerPort: 2}, {containerPort: 1}]", true},
		"arguments in another order": {container, "args: [a, b]", "args: [b, a]", false},
		"variables in another order": {container, "env: [{name: A, value: a}, {name: B, value: $(A)}]",
			"env: [{name: B, value: $(A)}, {name: A, value: a}]", false},
		"a security context that is empty": {container, "command: [x]", "command: [x], securityContext: {}", true},
		"an affinity that was empty":       {pod, "affinity: {}, hostNetwork: true", "hostNetwork: true", true},
		"a selector that takes all": {pod, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: x, labelSelector: {matchLabels: {a: b}}}]}}",
			"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: x, labelSelector: {matchLabels: {a: b}}, namespaceSelector: {}}]}}", false},
	} {
		got := compare(t, c.write(c.from), c.write(c.to)).Restarts
		if len(got) != 1 || got[0].Noise != c.noise {
			t.Errorf("%s: %+v; noise: %v", what, got, c.noise)
		}
	}
}

func TestWhatTheServerFillsInIsNoRestart(t *testing.T) {
	container := func(fields string) string { return deployment("", ", "+fields, "") }
	for _, c := range [][2]string{
		{container("ports: [{containerPort: 1}]"), container("ports: [{containerPort: 1, protocol: TCP}]")},
		{container("resources: {limits: {cpu: 1000m, memory: 1024Mi}}"),
			container("resources: {limits: {cpu: 1, memory: 1Gi}}")},
		{container("env: []"), container("imagePullPolicy: Always")},
		{deployment("", "", ""), deployment("", "",
			", restartPolicy: Always, securityContext: {}, terminationGracePeriodSeconds: 30")},
	} {
		if got := compare(t, c[0], c[1]); len(got.Restarts) != 0 || !got.Differs() {
			t.Errorf("from\n%sto\n%s%+v", c[0], c[1], got.Restarts)
		}
	}
}

func TestARolloutIsReportedAsItsWorkloadRollsOut(t *testing.T) {
	for want, header := range map[string]string{
		"rolling maxUnavailable 1, maxSurge 25%":      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}, ",
		"all-at-once strategy Recreate":               "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {strategy: {type: Recreate}, ",
		"paused ":                                     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {paused: true, ",
		"none-to-stay it has no replicas":             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {replicas: 0, ",
		"rolling partition 2: pods below 2 stay":      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: w}\nspec: {updateStrategy: {rollingUpdate: {partition: 2}}, ",
		"on-delete ":                                  "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: w}\nspec: {updateStrategy: {type: OnDelete}, ",
		"progressive canary":                          "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: w}\nspec: {strategy: {canary: {}}, ",
		"rejected the template of a Job is immutable": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w}\nspec: {",
		"rerun hook pre-install":                      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w, annotations: {helm.sh/hook: pre-install}}\nspec: {",
	} {
		at := func(image string) string {
			return header + "template: {spec: {containers: [{name: c, image: " + image + "}]}}}\n"
		}
		got := compare(t, at("x:1"), at("x:2")).Restarts
		if len(got) != 1 || fmt.Sprint(got[0].Rollout.Effect, " ", got[0].Rollout.Detail) != want {
			t.Errorf("want %q: %+v", want, got)
		}
	}
	pod := func(image string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {helm.sh/hook: test}}\nspec: {containers: [{name: c, image: " + image + "}]}\n"
	}
	if got := compare(t, pod("x:1"), pod("x:2")).Restarts; len(got) != 1 || got[0].Rollout.Effect != diff.Nothing {
		t.Errorf("a test of a chart, which no sync runs: %+v", got)
	}
}

func TestAGeneratedObjectIsOneUnderAnotherHash(t *testing.T) {
	at := func(hash, value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: g-" + hash + "}\ndata: {a: " + value + "}\n---\n" +
			deployment("", ", envFrom: [{configMapRef: {name: g-"+hash+"}}]", "")
	}
	c := compare(t, at("2cfbcb2mhm", "x"), at("66h9cbh964", "z"))
	if len(c.Restarts) != 1 || len(c.Restarts[0].Causes) != 1 || c.Restarts[0].Causes[0].Object != "ConfigMap g" ||
		!slices.Equal(c.Restarts[0].Causes[0].Keys, []diff.KeyChange{{Key: "a", Change: diff.Modification}}) {
		t.Errorf("restarts: %+v", c.Restarts)
	}
	for _, o := range c.Objects {
		if o.Change != diff.Modification {
			t.Errorf("%s is %s", o.Name, o.Change)
		}
	}
	if len(c.Quiet) != 0 {
		t.Errorf("quiet: %+v", c.Quiet)
	}
}

func TestFieldsHaveThePathsThatPeopleWrite(t *testing.T) {
	at := func(spec string) string {
		return "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: " + spec + "\n"
	}
	for _, c := range []struct{ from, to, want string }{
		{"{type: A}", "{type: B}", "spec.type changed A B"},
		{"{ports: [{name: web, port: 1}, {name: tls, port: 2}]}", "{ports: [{name: tls, port: 3}, {name: web, port: 1}]}",
			"spec.ports[tls].port changed 2 3"},
		{"{ports: [{port: 1}]}", "{ports: [{port: 1}, {port: 2}]}", `spec.ports[2/TCP] added  {"port":2}`},
		{"{a.b/c: 1}", "{}", `spec["a.b/c"] removed 1 `},
		{"{list: [a, b]}", "{list: [b, a]}", `spec.list reordered ["a","b"] ["b","a"]`},
		{"{list: [a, b]}", "{list: [a, c]}", "spec.list[1] changed b c"},
	} {
		got := compare(t, at(c.from), at(c.to)).Objects
		var lines []string
		for _, o := range got {
			for _, f := range o.Fields {
				lines = append(lines, fmt.Sprint(f.Path, " ", f.Change, " ", f.From, " ", f.To))
			}
		}
		if strings.Join(lines, "\n") != c.want {
			t.Errorf("from %s to %s: %s; want %s", c.from, c.to, lines, c.want)
		}
	}
}

func TestASecretValueOutsideOfSecretsIsNotShown(t *testing.T) {
	pod := func(env string) string { return deployment("", ", env: ["+env+"], args: [a, {b: c}]", "") }
	const user, old, other = "{name: USER, value: u}", "{name: DB_PASSWORD, value: canary1}", "{name: DB_PASSWORD, value: canary2}"
	for what, c := range map[string]struct {
		from, to string
		want     []diff.FieldChange
	}{
		"changed": {pod(user + ", " + old), pod(user + ", " + other), []diff.FieldChange{
			{Path: "spec.template.spec.containers[c].env[DB_PASSWORD].value", Change: diff.Modification, Hidden: true},
		}},
		"added": {pod(user), pod(user + ", " + other), []diff.FieldChange{{
			Path: "spec.template.spec.containers[c].env[DB_PASSWORD]", Change: diff.Addition, To: `{"name":"DB_PASSWORD","value":"(hidden)"}`,
		}}},
		"the same": {pod(old), pod(old), nil},
	} {
		out := compare(t, c.from, c.to)
		var got []diff.FieldChange
		for _, o := range out.Objects {
			got = append(got, o.Fields...)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", what, got)
		}
		if text, err := json.Marshal(out); err != nil || bytes.Contains(text, []byte("canary")) || bytes.Contains(text, []byte("(hidden:")) {
			t.Errorf("%s: %v, %s", what, err, text)
		}
	}
}

func TestADigestThatCanBeTriedIsNotShown(t *testing.T) {
	at := func(secret, container string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: " + secret + "}\n---\n" +
			deployment("", container, "")
	}
	const reads = ", envFrom: [{secretRef: {name: s}}]"
	for _, c := range []*diff.Comparison{compare(t, at("x", reads), at("z", reads)),
		compare(t, at("x", ""), at("x", reads)), compare(t, at("x", reads), at("x", ""))} {
		if len(c.Restarts) != 1 || strings.Contains(fmt.Sprintf("%+v", *c), "v1-") {
			t.Errorf("%+v", *c)
		}
	}
}

func TestASecretThatGetsAProducerLosesNoKeys(t *testing.T) {
	reads := "---\n" + deployment("", ", envFrom: [{secretRef: {name: s}}]", "")
	c := compare(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: x}\n"+reads,
		"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: s}\nspec: {secretStoreRef: {name: a}, data: [{secretKey: a, remoteRef: {key: k}}]}\n"+reads)
	if len(c.Restarts) != 1 || len(c.Restarts[0].Causes) != 1 || c.Restarts[0].Causes[0].Via != "ExternalSecret s" ||
		len(c.Restarts[0].Causes[0].Keys) != 0 {
		t.Errorf("%+v", c.Restarts)
	}
}
