package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

func TestAWorkloadIsCountedOnceInTheHeadline(t *testing.T) {
	c := everything()
	for _, name := range []diff.Name{c.Blocked[0].Name, c.Repeated[0].Name} {
		c.Restarts = append(c.Restarts, diff.Restart{Name: name, Rollout: diff.Rollout{Effect: diff.Rolling},
			Causes: []diff.Cause{{Reason: diff.Image, Path: "containers[c]", From: "i:1", To: "i:2-" + name.Name}}})
	}
	const want = "1 workload will not come up; 1 workload restarts at each render; 2 workloads restart, 1 of them for nothing"
	if got := report.Verdict(c); !strings.HasPrefix(got, want) {
		t.Errorf("got %q", got)
	}
	if n := report.Restarts(c); n != 4 {
		t.Errorf("%d workloads restart", n)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, c, report.Style{Least: diag.Info}); err != nil {
			t.Fatal(err)
		}
		for _, cause := range []string{"2-blocked-1", "2-repeated-1"} {
			if strings.Count(out.String(), cause) != 1 {
				t.Errorf("%s: %s is there %d times", format, cause, strings.Count(out.String(), cause))
			}
		}
	}
}

func TestLongValuesAreCutAroundTheirFirstDifference(t *testing.T) {
	long, path := strings.Repeat("x", 80), "data."+strings.Repeat("k", 60)
	for what, c := range map[string]struct{ from, to, wantFrom, wantTo string }{
		"at the end":      {long + "info", long + "debug", "..." + long[:20] + "info", "..." + long[:20] + "debug"},
		"at the start":    {"a" + long, "b" + long, "a" + long[:59] + "...", "b" + long[:59] + "..."},
		"of other length": {long, long + "debug", "..." + long[:20], "..." + long[:20] + "debug"},
		"behind what is hidden": {"(hidden)" + long + "info", "(hidden, changed)" + long + "debug",
			"..." + long[:20] + "info", "..." + long[:20] + "debug"},
		"of what is hidden": {long + "(hidden)", long + "(hidden, changed)", "..." + long[:13] + "(hidden)",
			"..." + long[:13] + "(hidden, changed)"},
	} {
		comparison := everything()
		comparison.Objects[0].Fields = []diff.FieldChange{{Path: path, Change: diff.Modification, From: c.from, To: c.to}}
		for _, format := range []string{"text", "markdown"} {
			var out bytes.Buffer
			if err := report.WriteDiff(&out, format, comparison, report.Style{Least: diag.Info}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(out.String(), "\n")
			for _, want := range []string{"- " + c.wantFrom, "+ " + c.wantTo} {
				if format == "markdown" {
					want = want[:2] + path + ": " + want[2:]
				}
				found := false
				for _, l := range lines {
					found = found || strings.TrimSpace(l) == want
				}
				if !found {
					t.Errorf("%s, %s: no line %q in\n%s", what, format, want, out.String())
				}
			}
		}
	}
}
