package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/report"
)

var (
	gone = diag.New(diag.MissingObject, "Deployment shop/web", "Secret gone is not in the input").
		At(diag.Position{File: "a.yaml", Line: 7})
	loose = diag.Finding{Code: diag.UnkeyedSecret, Severity: diag.Info, Message: "2 digests of Secrets without a hash key",
		Hint: "Make a hash key with 'rollstamp hash-key new' and pass it with --hash-key-file."}
)

func TestFindingsAreALineEachWithWhatIsKnown(t *testing.T) {
	cases := []struct {
		name  string
		found []diag.Finding
		style report.Style
		want  string
	}{
		{"warnings", []diag.Finding{gone, loose}, report.Style{Least: diag.Warning},
			"warning: Deployment shop/web: a.yaml:7: Secret gone is not in the input [missing-object]\n"},
		{"everything", []diag.Finding{gone, loose}, report.Style{Least: diag.Info},
			"warning: Deployment shop/web: a.yaml:7: Secret gone is not in the input [missing-object]\n" +
				"info: 2 digests of Secrets without a hash key [secret-digest-not-keyed]\n"},
		{"with the next step", []diag.Finding{gone, loose}, report.Style{Least: diag.Warning, Hints: true},
			"warning: Deployment shop/web: a.yaml:7: Secret gone is not in the input [missing-object]\n  hint: " + gone.Hint +
				"\n"},
		{"on a terminal", []diag.Finding{gone, loose}, report.Style{Least: diag.Warning, Color: true},
			"\x1b[33mwarning\x1b[0m: Deployment shop/web: a.yaml:7: Secret gone is not in the input [missing-object]\n"},
		{"a few of each code", []diag.Finding{gone, gone, loose}, report.Style{Least: diag.Info, Most: 1},
			"warning: Deployment shop/web: a.yaml:7: Secret gone is not in the input [missing-object]\n" +
				"info: 2 digests of Secrets without a hash key [secret-digest-not-keyed]\n" +
				"warning: 1 more like this; -v shows all of them [missing-object]\n"},
		{"errors only", []diag.Finding{gone, loose}, report.Style{Least: diag.Failure}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			report.Findings(&out, c.found, c.style)
			if out.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), c.want)
			}
		})
	}
}

func workloads() []plan.Workload {
	return []plan.Workload{
		{Kind: "Deployment", Namespace: "shop", Name: "web", References: []plan.Reference{
			{Kind: "ConfigMap", Namespace: "shop", Name: "settings", Keys: []string{"A", "B"}, Forms: []string{"env", "volume"},
				Source: "stream", Digest: "v1-0123456789abcdef", Annotation: "checksum.rollstamp.dev/configmap.settings"},
			{Kind: "Secret", Name: "gone", Optional: true, Forms: []string{"envFrom"}, Source: "absent",
				Findings: []diag.Finding{gone}},
			{Kind: "Secret", Name: "none", Keys: []string{}, Forms: []string{"volume"}, Source: "stream"},
		}},
		{Kind: "Job", Name: "once"},
	}
}

func TestTextShowsReferencesWithTheirFindings(t *testing.T) {
	var out bytes.Buffer
	p := &plan.Plan{Workloads: workloads(), Findings: []diag.Finding{gone, loose}}
	if err := report.WriteExplanation(&out, "text", p, report.Style{Least: diag.Info}); err != nil {
		t.Fatal(err)
	}
	const want = `Deployment shop/web
  ConfigMap settings  A, B                 env, volume  stream  v1-0123456789abcdef
  Secret gone         all keys (optional)  envFrom      absent  no digest
    warning: a.yaml:7: Secret gone is not in the input [missing-object]
  Secret none         no key               volume       stream  no digest

Job once
  refers to nothing

info: 2 digests of Secrets without a hash key [secret-digest-not-keyed]
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestJSONDistinguishesAllKeysFromNone(t *testing.T) {
	var out bytes.Buffer
	if err := report.WriteExplanation(&out, "json", &plan.Plan{Workloads: workloads()}, report.Style{}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema    int
		Workloads []struct {
			References []map[string]any
		}
		Findings []any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Findings == nil || got.Workloads[1].References == nil {
		t.Errorf("lists are missing in %s", out.Bytes())
	}
	refs := got.Workloads[0].References
	if keys, ok := refs[1]["keys"]; keys != nil || !ok {
		t.Errorf("all keys are %v", keys)
	}
	if keys, ok := refs[2]["keys"].([]any); !ok || len(keys) != 0 {
		t.Errorf("no keys are %v", refs[2]["keys"])
	}
	want := []string{"annotation", "digest", "findings", "forms", "keys", "kind", "name", "namespace", "optional",
		"producers", "source"}
	var fields []string
	for name := range refs[0] {
		fields = append(fields, name)
	}
	if slices.Sort(fields); !slices.Equal(fields, want) {
		t.Errorf("a reference has the fields %v, want %v", fields, want)
	}
}
