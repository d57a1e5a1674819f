package migrate_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/migrate"
)

func TestAFileWithAnObjectIsAManifestHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	const annotated = `"metadata":{"name":"web","annotations":{"reloader.stakater.com/auto":"true"}}`
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"in one line", `{"apiVersion":"apps/v1","kind":"Deployment",` + annotated + "}\n", 0},
		{"in one line, the kind last", `{"apiVersion":"apps/v1",` + annotated + `,"kind":"Deployment"}`, 0},
		{"a list in one line", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment",` +
			annotated + "}]}\n", 0},
		{"with a word in quotes", "\"kind\": Deployment\n'apiVersion': apps/v1\n" +
			"metadata: {annotations: {reloader.stakater.com/auto: \"true\"}}\n", 0},
		{"behind another document", "a: b\n---\n{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"," + annotated + "}\n", 0},
		{"values in one line", `{"web":{"annotations":{"reloader.stakater.com/auto":"true"},"kind":"Deployment"}}`, 1},
		{"values", "web:\n  kind: Deployment\n  annotations: {reloader.stakater.com/auto: \"true\"}\n", 1},
		{"what is no YAML", "{{ a }}\nreloader.stakater.com/auto: 'true'\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := migrate.MentionsIn("file.yaml", []byte(c.text)); len(got) != c.want {
				t.Errorf("%d tools are mentioned in what is no manifest, want %d: %+v", len(got), c.want, got)
			}
		})
	}
}
