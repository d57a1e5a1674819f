package announce_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
)

// tree writes files (path, content, ...) into a new folder and returns its path.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func chart(t *testing.T, files ...string) announce.App {
	t.Helper()
	dir := tree(t, append([]string{"Chart.yaml", "name: x\n"}, files...)...)
	return announce.App{Name: "team_web", Dir: dir, Root: dir}
}

// values returns what is announced of a chart's values: "name item default title: tooltip".
func values(all []announce.Parameter) []string {
	var out []string
	for _, p := range all {
		if strings.Contains(p.Name, ".") {
			out = append(out, fmt.Sprintf("%s %s %q %s: %s", p.Name, p.ItemType, p.String, p.Title, p.Tooltip))
		}
	}
	return out
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestEachValueOfAChartIsAParameterOfItsOwnWithItsType(t *testing.T) {
	all, findings := announce.Parameters(chart(t, "values.yaml", `# Default values for x.
# This is a YAML-formatted file.
replicas: 2 # How many pods.

# Not for this value.

# -- (int) The port
# that is served.
# @default -- none
port: "8080"
image:
  ## ref: https://example.com
  tag: 1.10
  "pull.policy": Always
up: yes
quoted: "no"
on: not a text as a key
mode: 0777
none:
empty: {}
list: [a, b]
tables:
- name: x
commas: ["a,b"]
# limits:
#   cpu: 1
resources: &r {cpu: x}
again: *r
password: hunter2
existingSecret: web
adminPass: hunter3
url: postgres://u:hunter4@h/d
license: "-----BEGIN RSA PRIVATE KEY----- hunter5"
home: https://example.com:443/@x
`))
	if len(findings) != 0 {
		t.Errorf("findings are %+v", findings)
	}
	same(t, values(all),
		`parameters.replicas number "2" replicas: How many pods.`,
		`forceStringParameters.port string "8080" port: (int) The port that is served.`,
		`parameters.image.tag number "1.10" image.tag: ref: https://example.com`,
		`forceStringParameters.image.pull\.policy string "Always" image.pull.policy: `,
		`parameters.up boolean "true" up: `,
		`forceStringParameters.quoted string "no" quoted: `,
		`parameters.none  "" none: `,
		`parameters.list string "{a,b}" list: `,
		`forceStringParameters.resources.cpu string "x" resources.cpu: `,
		`forceStringParameters.again.cpu string "x" again.cpu: `,
		`forceStringParameters.password string "" password: (The default is not shown.)`,
		`forceStringParameters.existingSecret string "web" existingSecret: `,
		`forceStringParameters.adminPass string "" adminPass: (The default is not shown.)`,
		`forceStringParameters.url string "" url: (The default is not shown.)`,
		`forceStringParameters.license string "" license: (The default is not shown.)`,
		`forceStringParameters.home string "https://example.com:443/@x" home: `,
	)
}

func TestTheSchemaSaysMoreThanComments(t *testing.T) {
	all, _ := announce.Parameters(chart(t,
		"values.yaml", "## @param image.tag [string] Which version\n## @param image.name Which program\n\nimage:\n  tag: a\n  name: b\n  # beside\n  kind: c\n",
		"values.schema.json", `{"properties": {"image": {"required": ["tag"], "properties": {"tag": {"title": "Version", "description": "As in the registry."}}}}}`))
	same(t, values(all),
		`forceStringParameters.image.tag string "a" Version: As in the registry.`,
		`forceStringParameters.image.name string "b" image.name: Which program`,
		`forceStringParameters.image.kind string "c" image.kind: beside`,
	)
	for _, p := range all {
		if p.Required != (p.Title == "Version") {
			t.Errorf("%s: required is %t", p.Name, p.Required)
		}
	}
}

func TestTheOptionsOfTheKindAreAnnouncedWithTheirCollection(t *testing.T) {
	known := map[string]argocd.Option{}
	for _, o := range argocd.Options() {
		known[o.Name] = o
	}
	for file, c := range map[string]struct{ has, hasNot string }{
		"Chart.yaml":         {"valueFiles", "images"},
		"kustomization.yaml": {"images", "valueFiles"},
		"x.yaml":             {"recurse", "releaseName"},
	} {
		dir := tree(t, file, "{}\n")
		all, _ := announce.Parameters(announce.App{Name: "team_web", Dir: dir, Root: dir})
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
			if o, ok := known[p.Name]; !ok || p.CollectionType != string(o.Collection) || p.ItemType == "" ||
				p.Tooltip == "" {
				t.Errorf("%s announces %+v, the table has %+v", file, p, o)
			}
			if p.Name == "releaseName" && p.String != "web" {
				t.Errorf("the release is called %q", p.String)
			}
		}
		if !slices.Contains(names, c.has) || slices.Contains(names, c.hasNot) || !slices.Contains(names, "allowEmpty") {
			t.Errorf("%s announces %q", file, names)
		}
	}
}

func TestAKustomizationAnnouncesItsReplicasAndNamesItsImages(t *testing.T) {
	const rendered = `kind: Deployment
apiVersion: apps/v1
metadata: {name: web}
spec: {replicas: 3, template: {spec: {initContainers: [{image: 'setup:1'}], containers: [{image: 'web:2'}]}}}
---
kind: StatefulSet
apiVersion: apps/v1
metadata: {name: db}
spec: {template: {spec: {containers: [{image: 'web:2'}]}}}
---
kind: CronJob
apiVersion: batch/v1
metadata: {name: tick}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: 'tick:3'}]}}}}}
`
	dir := tree(t, "kustomization.yaml", "")
	all, _ := announce.Parameters(announce.App{Dir: dir, Root: dir,
		Rendered: func() []byte { return []byte(rendered) }})
	same(t, values(all),
		`replicas.db number "1" replicas of db: Number of pods of the workload.`,
		`replicas.web number "3" replicas of web: Number of pods of the workload.`,
	)
	for _, p := range all {
		if p.Name == "images" && (!strings.HasSuffix(p.Tooltip, " Now: setup:1, tick:3, web:2") || p.Array != nil) {
			t.Errorf("images are %+v", p)
		}
	}
}

func TestParametersAreListedWhateverTheFolderHolds(t *testing.T) {
	outside := tree(t, "values.yaml", "stolen: x\n")
	linked := chart(t)
	if err := os.Symlink(filepath.Join(outside, "values.yaml"), filepath.Join(linked.Dir, "values.yaml")); err != nil {
		t.Fatal(err)
	}
	many := strings.Builder{}
	for i := range 1005 {
		fmt.Fprintf(&many, "v%d: x\n", i)
	}
	laughs := "a0: &a0 {p: 1, q: 2}\n"
	for i := 1; i < 30; i++ {
		laughs += fmt.Sprintf("a%d: &a%d {p: *a%d, q: *a%d}\n", i, i, i-1, i-1)
	}
	empty := tree(t)
	for name, c := range map[string]struct {
		app   announce.App
		found string // "" for none
	}{
		"no values":               {chart(t), ""},
		"empty values":            {chart(t, "values.yaml", ""), ""},
		"values that are no map":  {chart(t, "values.yaml", "[a]\n"), ""},
		"values that are no YAML": {chart(t, "values.yaml", "a: *canary\n"), "parse YAML: not well-formed"},
		"a schema that is none": {chart(t, "values.yaml", "a: 1\n", "values.schema.json", "{"),
			"parse JSON: no schema"},
		"a link out of the tree": {linked, "read: leads out of the repository"},
		"too many values":        {chart(t, "values.yaml", many.String()), "5 values are more than the 1000"},
		"aliases without end":    {chart(t, "values.yaml", laughs), "it has more than 100000 values"},
		"an alias of itself":     {chart(t, "values.yaml", "a: &a\n  b: *a\n  c: 1\n"), ""},
		"an empty folder":        {announce.App{Dir: empty, Root: empty}, ""},
		"no folder":              {announce.App{Dir: filepath.Join(empty, "x"), Root: empty}, "no such folder"},
	} {
		t.Run(name, func(t *testing.T) {
			all, findings := announce.Parameters(c.app)
			text, err := json.Marshal(all)
			if err != nil || len(all) == 0 || strings.Contains(string(text), "stolen") {
				t.Errorf("%d are announced: %v", len(all), err)
			}
			switch {
			case c.found == "" && len(findings) > 0, c.found != "" && len(findings) != 1:
				t.Errorf("findings are %+v", findings)
			case c.found != "" && (!strings.Contains(findings[0].Message, c.found) ||
				findings[0].Severity != diag.Warning || strings.Contains(findings[0].Message, "canary")):
				t.Errorf("the finding is %+v", findings[0])
			}
		})
	}
}
