package convert_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/convert"
)

func TestTheHelmOfAnArgoCDIsWritten(t *testing.T) {
	const chart, field = "repoURL: https://charts.example.org, chart: web", "repoURL: https://git.example.org/a, path: web, helm: {version: v3}"
	for _, row := range []struct {
		source, version string
		want            string
	}{
		{field, "", `parameters: [{name: version, string: v3}]`},
		{strings.Replace(field, "v3", "v2", 1), "", ``}, // which the plugin does not take
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

// What a version does not read it renders as if it were not there, and the plugin would not.
func TestAFieldThatAVersionDoesNotReadIsNotWritten(t *testing.T) {
	const filter = "source: {repoURL: u, path: p, directory: {disableExtensionFilter: true}}"
	const prefix = "sources: [{repoURL: u, path: p, helm: {valueFiles: [$v/a.yaml]}}, {repoURL: " +
		"'https://git.example.org/v', ref: v, targetRevision: 1.0.0, tagPrefix: v/}]"
	for _, row := range []struct {
		spec, version string
		left          int
	}{
		{filter, "", 0}, {filter, "v3.2.11", 1}, {filter, "v3.5.0", 1}, {filter, "v3.6.0", 0},
		{prefix, "v3.4.0", 2},
	} {
		c := convertedFor(t, row.version, row.spec)
		if len(c.Left) != row.left || strings.Contains(string(c.Text), "plugin") != (row.left == 0) {
			t.Errorf("%s for %q: left %v\n%s", row.spec, row.version, c.Left, c.Text)
		}
		if row.left > 0 && !strings.Contains(c.Left[0].Message, "Argo CD "+row.version[:4]+" drops ") {
			t.Errorf("%s for %q: left %v", row.spec, row.version, c.Left)
		}
	}
}
