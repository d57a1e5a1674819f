package refs

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// ruled makes a table with the rules of a configuration file.
func ruled(t testing.TB, kinds string) *Table {
	t.Helper()
	dir := t.TempDir()
	text := "kinds:\n" + kinds
	if err := os.WriteFile(filepath.Join(dir, ".rollstamp.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	place, err := config.Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := config.Resolve(config.Inputs{Place: place, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return NewTable(config.MaxLevel, settings.Kinds.Value)
}

// describe returns one line for each template: where it stamps, and what it refers to.
func describe(found []Template) string {
	var b strings.Builder
	for _, t := range found {
		target := "nothing"
		if t.Annotations != nil {
			target = strings.Join(t.Annotations, ".")
			if name := t.Node.At("name").StringValue(); name != "" {
				target = name + ":" + target
			}
		}
		fmt.Fprintf(&b, "%s <-", target)
		for _, r := range t.References {
			keys := "*"
			if !r.All {
				keys = strings.Join(r.Keys, "+")
			}
			fmt.Fprintf(&b, " %s/%s(%s)", r.Kind, r.Name, keys)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// pools is a custom resource with several pod templates in a list and in a map, and references outside them.
const pools = `
apiVersion: example.com/v1
kind: Fleet
metadata: {name: x}
spec:
  secretName: top
  config: {name: conf, key: a, optional: true}
  more: [one, two]
  pools:
  - name: p1
    template: {spec: {containers: [{envFrom: [{configMapRef: {name: c1}}]}]}}
  - name: p2
    template: {metadata: {labels: {}}, spec: {containers: [{envFrom: [{configMapRef: {name: c2}}]}]}}
  byName:
    red: {name: red, pod: {containers: [{envFrom: [{secretRef: {name: s1}}]}]}}
    blue: {name: blue, pod: {containers: [{envFrom: [{secretRef: {name: s2}}]}]}}
`

func TestRulesForCustomKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, rule, text, want string }{
		{"templates in a list", `- {group: example.com, kind: Fleet, template: "spec.pools[*].template"}`, pools,
			"metadata.annotations <- ConfigMap/c1(*)\nmetadata.annotations <- ConfigMap/c2(*)\n"},
		{"templates in a map, with paths of their own", `- {group: example.com, kind: Fleet, template: spec.byName.*, podSpec: spec.byName.*.pod, annotations: spec.byName.*.meta.podAnnotations}`, pools,
			"red:meta.podAnnotations <- Secret/s1(*)\nblue:meta.podAnnotations <- Secret/s2(*)\n"},
		{"annotations in one place for all templates", `- {group: example.com, kind: Fleet, template: "spec.pools[*].template", annotations: spec.annotations}`, pools,
			"spec.annotations <- ConfigMap/c1(*)\nspec.annotations <- ConfigMap/c2(*)\n"},
		{"a pod spec without a template", `- {group: example.com, kind: Fleet, podSpec: "spec.pools[*].template.spec", annotations: spec.podMetadata.annotations}`, pools,
			"spec.podMetadata.annotations <- ConfigMap/c1(*) ConfigMap/c2(*)\n"},
		{"a reference with a key", `- {group: example.com, kind: Fleet, annotations: spec.annotations, references: [{kind: ConfigMap, path: spec.config, key: key}]}`, pools,
			"spec.annotations <- ConfigMap/conf(a)\n"},
		{"a reference whose key is not written is every key", `- {group: example.com, kind: Fleet, annotations: spec.annotations, references: [{kind: ConfigMap, path: spec.config, key: item}]}`, pools,
			"spec.annotations <- ConfigMap/conf(*)\n"},
		{"a bare name", `- {group: example.com, kind: Fleet, annotations: spec.annotations, references: [{kind: Secret, path: spec.secretName, name: ""}]}`, pools,
			"spec.annotations <- Secret/top(*)\n"},
		{"bare names in a list", `- {group: example.com, kind: Fleet, annotations: spec.annotations, references: [{kind: Secret, path: "spec.more[*]", name: ""}]}`, pools,
			"spec.annotations <- Secret/one(*) Secret/two(*)\n"},
		{"a name under another field", `- {group: example.com, kind: Fleet, annotations: spec.annotations, references: [{kind: Secret, path: spec, name: secretName}]}`, pools,
			"spec.annotations <- Secret/top(*)\n"},
		{"references count for each template", `- {group: example.com, kind: Fleet, template: "spec.pools[*].template", references: [{kind: Secret, path: spec, name: secretName}]}`, pools,
			"metadata.annotations <- Secret/top(*) ConfigMap/c1(*)\nmetadata.annotations <- Secret/top(*) ConfigMap/c2(*)\n"},
		{"references count for a template that is not written", `- {group: example.com, kind: Fleet, template: spec.pod.template, references: [{kind: Secret, path: spec, name: secretName}]}`, pools,
			"spec.pod.template.metadata.annotations <- Secret/top(*)\n"},
		{"no template and no references is nothing", `- {group: example.com, kind: Fleet, template: spec.pod.template}`, pools, ""},
		{"stamp: false only finds", `- {group: example.com, kind: Fleet, stamp: false, podSpec: "spec.pools[*].template.spec"}`, pools,
			"nothing <- ConfigMap/c1(*) ConfigMap/c2(*)\n"},
		{"a path through what is no map or list leads nowhere", `- {group: example.com, kind: Fleet, annotations: a, references: [{kind: Secret, path: "spec.secretName[*].x"}, {kind: Secret, path: spec.more.x}, {kind: Secret, path: "spec.pools.*.x"}]}`, pools,
			"a <-\n"},
		{"another group", `- {group: other.example.com, kind: Fleet, template: "spec.pools[*].template"}`, pools, ""},
		{"another kind", `- {group: example.com, kind: Float, template: "spec.pools[*].template"}`, pools, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(templates(t, ruled(t, c.rule), c.text)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestARuleThatIsNotToStampIsOnRequest(t *testing.T) {
	t.Parallel()
	o := object(t, pools)
	for rule, want := range map[string]Stamping{
		`- {group: example.com, kind: Fleet, template: spec.t}`:               ByDefault,
		`- {group: example.com, kind: Fleet, template: spec.t, stamp: true}`:  ByDefault,
		`- {group: example.com, kind: Fleet, template: spec.t, stamp: false}`: OnRequest,
	} {
		rows := ruled(t, rule).Rows(o)
		if len(rows) != 1 || rows[0].Stamping != want {
			t.Errorf("%s: got %d rows", rule, len(rows))
		}
	}
}

func TestARuleReplacesTheBuiltInRowsOfItsKindAndGroup(t *testing.T) {
	t.Parallel()
	table := ruled(t, "- {group: apps, kind: Deployment, template: spec.other}\n- {group: apps.kruise.io, kind: AdvancedCronJob, template: spec.only}\n")
	const body = `
metadata: {name: x}
spec:
  other: {spec: {containers: [{envFrom: [{configMapRef: {name: ours}}]}]}}
  template: {spec: {containers: [{envFrom: [{configMapRef: {name: usual}}]}]}}
`
	for head, want := range map[string]string{
		"apiVersion: apps/v1\nkind: Deployment":                      "ours",
		"apiVersion: apps/v1\nkind: StatefulSet":                     "usual",
		"apiVersion: extensions/v1beta1\nkind: Deployment":           "usual",
		"apiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet":        "usual",
		"apiVersion: apps.kruise.io/v1alpha1\nkind: AdvancedCronJob": "",
	} {
		got := ""
		for _, found := range templates(t, table, head+body) {
			for _, r := range found.References {
				got += r.Name
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", head, got, want)
		}
	}
}

func TestARuleLeavesTheRolloutOfABuiltInKindAsItIs(t *testing.T) {
	t.Parallel()
	table := ruled(t, "- {group: apps, kind: ReplicaSet, template: spec.other}\n- {group: example.com, kind: ReplicaSet, template: spec.other}\n"+
		"- {group: argoproj.io, kind: Rollout, template: spec.other, stamp: false}\n")
	for apiVersion, want := range map[string]Stamping{"apps/v1": WhenFollowed, "example.com/v1": ByDefault} {
		if rows := table.Rows(manifest.Object{APIVersion: apiVersion, Kind: "ReplicaSet"}); len(rows) != 1 || rows[0].Stamping != want {
			t.Errorf("%s: %+v", apiVersion, rows)
		}
	}
	rows := table.Rows(manifest.Object{APIVersion: "argoproj.io/v1alpha1", Kind: "Rollout"})
	if len(rows) != 1 || rows[0].Rollout != BySteps || rows[0].Follows == nil || rows[0].Stamping != OnRequest {
		t.Errorf("%+v", rows)
	}
}

func TestAKafkaClusterOfStrimzi(t *testing.T) {
	t.Parallel()
	table := ruled(t, `
- group: kafka.strimzi.io
  kind: Kafka
  annotations: spec.kafka.template.pod.metadata.annotations
  references:
  - {kind: ConfigMap, path: spec.kafka.metricsConfig.valueFrom.configMapKeyRef, key: key}
  - {kind: ConfigMap, path: spec.kafka.logging.valueFrom.configMapKeyRef, key: key}
  - {kind: Secret, path: "spec.kafka.listeners[*].configuration.brokerCertChainAndKey", name: secretName, key: certificate}
  - {kind: Secret, path: "spec.kafka.listeners[*].configuration.brokerCertChainAndKey", name: secretName, key: key}
`)
	const text = `
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: events}
spec:
  kafka:
    listeners:
    - name: tls
      configuration:
        brokerCertChainAndKey: {secretName: broker-tls, certificate: tls.crt, key: tls.key}
    - name: plain
    metricsConfig:
      type: jmxPrometheusExporter
      valueFrom:
        configMapKeyRef: {name: metrics, key: kafka.yml}
`
	found := templates(t, table, text)
	if len(found) != 1 {
		t.Fatalf("%d templates", len(found))
	}
	want := map[string][]string{"ConfigMap metrics": {"kafka.yml"}, "Secret broker-tls": {"tls.crt", "tls.key"}}
	if got := keysOf(found[0].References, func(Reference) bool { return true }); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if got := strings.Join(found[0].Annotations, "."); got != "spec.kafka.template.pod.metadata.annotations" {
		t.Errorf("stamps go to %q", got)
	}
}
