package main

import (
	"maps"
	"slices"
)

// extension is something that rollstamp may come to know, added in full.
type extension struct {
	what  string
	rows  []row             // what is inserted into files that are there
	files map[string]string // new files

	input map[string]string // files to try it on
	args  []string          // of the program, in a folder with these
	want  string            // what it prints then
}

// row is a text that is inserted behind the first place where another one stands.
type row struct{ file, behind, text string }

// changedFiles returns the files that the extension changes.
func (e extension) changedFiles() (names []string) {
	for _, r := range e.rows {
		names = append(names, r.file)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// addedFiles returns the files that it adds.
func (e extension) addedFiles() []string { return slices.Sorted(maps.Keys(e.files)) }

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {key: value}
`

// extensions are shown in this order, then secretExtensions and engineExtensions.
var extensions = []extension{
	{
		what: "a position of a reference",
		rows: []row{{
			"refs/positions.go", "var podPositions = []position{\n",
			"\t{\"volumes[].wasm.configMap\", ConfigMap, \"name\", \"wasm\", all, 1},\n",
		}},
		input: map[string]string{"a.yaml": configMap + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {volumes: [{name: v, wasm: {configMap: {name: settings}}}]}}}
`},
		args: []string{"render", "a.yaml"},
		want: "checksum.rollstamp.dev/configmap.settings: v1-",
	},
	{
		what: "a kind of workload",
		rows: []row{{
			"refs/kinds.go", "var controllerKinds = []Kind{\n",
			"\tbuiltin(Kind{Kind: \"Widget\", Template: template, Rollout: ByStrategy}, \"example.com\"),\n",
		}},
		input: map[string]string{"a.yaml": configMap + `---
apiVersion: example.com/v1
kind: Widget
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}
`},
		args: []string{"render", "a.yaml"},
		want: "checksum.rollstamp.dev/configmap.settings: v1-",
	},
	{
		what: "a setting",
		rows: []row{
			{"config/settings.go", "type InForce struct {\n", "\tMotto Setting[NonEmpty]\n"},
			{"config/table.go", "var applicationRows = []Row{\n", `	{
		Name: "motto", In: InFile,
		Env:  []Var{{Name: "ROLLSTAMP_MOTTO", Meaning: "The motto, as --motto."}},
		Flag: "motto", Group: GroupOutput,
		Usage: "what the team believes in", About: "What the team believes in.", Example: "small diffs",
		field: text(func(s *Settings) *Setting[NonEmpty] { return &s.Motto }, ""),
	},
`},
		},
		input: map[string]string{".rollstamp.yaml": "motto: small diffs\n"},
		args:  []string{"config"},
		want:  "motto: small diffs",
	},
	{
		what: "a finding",
		rows: []row{
			{"diag/codes.go", "const (\n", "\tLuckyName Code = \"lucky-name\"\n"},
			{"diag/codes.go", "var codes = map[Code]Row{\n",
				"\tLuckyName: {Warning, \"The name of the object brings luck.\", \"Keep it.\"},\n"},
			{"check/check.go", "func (c *checker) object(o manifest.Object, at diag.Position) {\n", `	if o.Name == "seven" {
		c.find(diag.New(diag.LuckyName, o.String(), "its name is seven"), at)
	}
`},
		},
		input: map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seven}\n"},
		args:  []string{"check", "a.yaml"},
		want:  "[lucky-name]",
	},
	{
		what: "a format of reports",
		rows: []row{{"report/formats.go", "var formats = []format{\n", "\t{name: \"csv\", findings: findingsCSV},\n"}},
		files: map[string]string{"report/csv.go": `package report

import (
	"bytes"
	"encoding/csv"

	"github.com/rollstamp/rollstamp/diag"
)

// findingsCSV writes findings as lines of comma-separated values.
func findingsCSV(out *bytes.Buffer, found []diag.Finding, _ Style) error {
	w := csv.NewWriter(out)
	for _, f := range found {
		if err := w.Write([]string{string(f.Code), f.File, f.Message}); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
`},
		input: map[string]string{"a.yaml": configMap},
		args:  []string{"check", "-o", "csv", "a.yaml"},
		want:  "unused-object,a.yaml,",
	},
	{
		what: "an operator that makes Secrets",
		rows: []row{{"sources/objects/table.go", "return join(\n", "\t\tvendingMachine(),\n"}},
		files: map[string]string{"sources/objects/vending_machine.go": `package objects

// vendingMachine produces a Secret with the coins that it took.
func vendingMachine() operator {
	return operator{rows: map[string][]row{
		"VendingMachine": {{
			group: "example.com", kind: secret, name: names("{metadata.name}-coins"), parts: wholeSpec(shape{}),
		}},
	}}
}
`},
		input: map[string]string{"a.yaml": `apiVersion: example.com/v1
kind: VendingMachine
metadata: {name: tea}
spec: {coins: euro}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: tea-coins}}]}]}}}
`},
		args: []string{"explain", "a.yaml"},
		want: "VendingMachine/tea",
	},
	{
		what: "a policy",
		rows: []row{{"policy/policy.go", "{always, Exclude},\n", "\t{always, Holiday},\n"}},
		files: map[string]string{"policy/holiday.go": `package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// Holiday is the policy that stamps of workloads on holiday say so, whatever is in their configuration.
func Holiday(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	wanted = slices.Clone(wanted)
	for i := range wanted {
		if w := &wanted[i]; places[w.Place].Annotations["rollstamp.dev/holiday"] == "true" {
			w.Value = "holiday"
		}
	}
	return wanted
}
`},
		input: map[string]string{"a.yaml": configMap + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {rollstamp.dev/holiday: "true"}}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}
`},
		args: []string{"render", "a.yaml"},
		want: "checksum.rollstamp.dev/configmap.settings: holiday",
	},
	{
		what: "a strategy",
		rows: []row{{"stamp/strategy.go", "var templateStrategies = []templateStrategy{\n",
			"\t{applies: wantsLabels, locate: locateLabels},\n"}},
		files: map[string]string{"stamp/labels.go": `package stamp

import "github.com/rollstamp/rollstamp/splice"

func wantsLabels(t *template) bool { return t.ours["rollstamp.dev/strategy"] == "labels" }

// locateLabels finds the labels of a pod template: the strategy of a digest in a label.
func locateLabels(at location) (strategy, error) {
	slot, err := splice.Locate(at.Node, []string{"metadata", "labels"}, at.claim)
	if err != nil {
		return nil, err
	}
	return annotations{slot}, nil
}
`},
		input: map[string]string{"a.yaml": configMap + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {rollstamp.dev/strategy: labels}}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}
`},
		args: []string{"render", "a.yaml"},
		want: "labels: {checksum.rollstamp.dev/configmap.settings: v1-",
	},
}
