package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

const substituted = `apiVersion: v1
data:
  ${KEY}: x
  number: '${NUMBER}'
  part: postgres://user:${VALUE}@db/${OPEN}
  upper: ${VALUE^^}
  whole: ${VALUE}
kind: ConfigMap
metadata:
  name: config
---
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    note: ${VALUE}
  name: web-${VALUE}
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - args:
        - --x=${VALUE}
        envFrom:
        - configMapRef:
            name: config
        - secretRef:
            name: missing-${VALUE}
        image: a:${OPEN}
        name: a
`

func TestNoReportShowsASubstitutedSecret(t *testing.T) {
	side := func(label, value, open string) (diff.Side, *pipeline.Result, *app.Application) {
		vars := map[string]substitute.Var{
			"VALUE":  {Value: "canary" + value, Secrecy: redact.HoldsSecret},
			"NUMBER": {Value: "4711" + value, Secrecy: redact.HoldsSecret},
			"KEY":    {Value: "canarykey" + value, Secrecy: redact.HoldsSecret}, "OPEN": {Value: open},
		}
		a := app.New(app.Spec{Name: "a", Stream: &render.Output{Kind: render.KindPlain, Text: []byte(substituted)},
			Transforms: []render.Transform{substitute.Variables(vars, substitute.Options{Strict: true})},
			Stamping:   &app.Stamping{}})
		r, err := pipeline.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return diff.Side{Label: label, Apps: []*diff.App{{Name: "a", Render: pipeline.NewRendered(r)}}}, r, a
	}
	from, _, _ := side("old", "1", "open")
	to, r, a := side("new", "2", "other")
	c, err := diff.Compare(from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range report.DiffFormats() {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, c, report.Style{}); err != nil {
			t.Fatal(err)
		}
		check(t, format, out.String())
		if format == "json" && !strings.Contains(out.String(), "(hidden, changed)@db/other") {
			t.Errorf("what holds no secret is not shown: %s", &out)
		}
	}
	found := pipeline.Findings(a, r)
	for _, format := range report.FindingsFormats() {
		var out bytes.Buffer
		if err := report.WriteFindings(&out, format, found, report.Style{}); err != nil {
			t.Fatal(err)
		}
		check(t, format, out.String())
		if format == "text" && !strings.Contains(out.String(), "missing-[redacted]") {
			t.Errorf("the finding is not there: %s", &out)
		}
	}
	p := &plan.Plan{Workloads: pipeline.Workloads(a, r), Findings: found}
	for _, format := range report.ExplainFormats() {
		var out bytes.Buffer
		if err := report.WriteExplanation(&out, format, p, report.Style{}); err != nil {
			t.Fatal(err)
		}
		check(t, format, out.String())
	}
}

func check(t *testing.T, format, out string) {
	t.Helper()
	if lower := strings.ToLower(out); strings.Contains(lower, "canary") || strings.Contains(lower, "4711") {
		t.Errorf("%s shows a secret:\n%s", format, out)
	}
}
