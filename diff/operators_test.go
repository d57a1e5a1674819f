package diff_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/diff"
)

func TestTheStampOfAnOperatorsKindIsARestart(t *testing.T) {
	t.Parallel()
	prometheus := func(value, replicas string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\ndata: {a: " + value + "}\n---\n" +
			"apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\n" +
			"spec: {replicas: " + replicas + ", configMaps: [rules]}\n"
	}
	if c := compare(t, prometheus("red", "2"), prometheus("red", "3")); len(c.Restarts) != 0 {
		t.Errorf("other replicas: %+v", c.Restarts)
	}
	c := compare(t, prometheus("red", "2"), prometheus("blue", "2"))
	if len(c.Restarts) != 1 || len(c.Restarts[0].Causes) != 1 || c.Restarts[0].Causes[0].Object != "ConfigMap rules" ||
		c.Restarts[0].Rollout.Effect != diff.Rolling {
		t.Errorf("another rule: %+v", c.Restarts)
	}
}

func TestTheStampOfOneOfSeveralTemplatesInAListIsARestart(t *testing.T) {
	t.Parallel()
	elasticsearch := func(value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: " + value + "}\n---\n" +
			"apiVersion: elasticsearch.k8s.elastic.co/v1\nkind: Elasticsearch\nmetadata: {name: main}\n" +
			"spec: {nodeSets: [{name: hot}, {name: cold, podTemplate: {spec: {containers: " +
			"[{name: elasticsearch, envFrom: [{configMapRef: {name: env}}]}]}}}]}\n"
	}
	c := compare(t, elasticsearch("red"), elasticsearch("blue"))
	if len(c.Restarts) != 1 || c.Restarts[0].Causes[0].Object != "ConfigMap env" {
		t.Errorf("another variable: %+v", c.Restarts)
	}
}
