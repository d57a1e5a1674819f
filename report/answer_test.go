package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/report"
)

// everything is a comparison that has something in each part.
func everything() *diff.Comparison {
	name := func(kind, name string) diff.Name { return diff.Name{App: "apps/a", Kind: kind, Name: name} }
	release := name("HelmRelease", "release-1")
	rolling := diff.Rollout{Effect: diff.Rolling}
	return &diff.Comparison{
		Schema: diff.Schema, From: "one", To: "two",
		Apps: []diff.AppChange{{Name: "apps/a", Status: diff.Changed}, {Name: "apps/new", Status: diff.Failed,
			Problems: []diff.Problem{{Side: "to", Error: "error-1", Hint: "hint-1"}}},
			{Name: "apps/asbefore", Status: diff.Failed, Alike: true,
				Problems: []diff.Problem{{Side: "from", Error: "error-2"}, {Side: "to", Error: "error-2"}}}},
		Blocked:  []diff.Blocked{{Name: name("Deployment", "blocked-1"), Reason: diff.KeyGone, Object: "Secret s", Key: "key-1"}},
		Repeated: []diff.Repeated{{Name: name("Deployment", "repeated-1"), Rollout: rolling, Paths: []string{"metadata.random-2"}}},
		Restarts: []diff.Restart{
			{Name: name("Deployment", "restarts-1"), Rollout: rolling, Causes: []diff.Cause{{Reason: diff.Config,
				Object: "Secret versioned", Keys: []diff.KeyChange{{Key: "password", Change: diff.Modification, Remote: "shop/db",
					From: "7", To: "8"}}, File: "apps/a/rollstamp.lock"}}},
			{Name: name("Deployment", "noise-1"), Noise: true, Rollout: rolling, Causes: []diff.Cause{{Reason: diff.Label,
				Path: "path-1", Change: diff.Modification, From: "a", To: "b", Noise: true, Why: "why-1"}}},
			{Name: name("CronJob", "still-1"), Rollout: diff.Rollout{Effect: diff.NextRun}, Causes: []diff.Cause{{
				Reason: diff.Template, Path: "containers.c.args", Change: diff.Addition, To: "--new", Item: true}}},
		},
		Quiet: []diff.Quiet{{Name: name("ConfigMap", "quiet-1"), Keys: []diff.KeyChange{{Key: "k-1", Change: diff.Removal}},
			Reason: diff.NotConsumed}},
		Unknown: []diff.Unknown{{Reason: diff.Elsewhere, App: "apps/a", Object: &release}, {Reason: diff.Unread, File: "file-1.yaml"},
			{Reason: diff.NoObject, App: "apps/empty"}, {Reason: diff.StampsBefore, App: "apps/adopted-1"}},
		Objects: []diff.ObjectChange{
			{Name: name("ConfigMap", "texts-1"), Change: diff.Modification, Fields: []diff.FieldChange{{Path: "data.text-1",
				Change: diff.Modification, From: "a\nb\n", To: "a\nc\n", Hunks: "@@ -1,2 +1,2 @@\n a\n-bbb\n+ccc"}}},
			{Name: name("Secret", "added-1"), Change: diff.Addition}},
		Unstable: []diff.Unstable{{Name: name("Secret", "unstable-1"), Paths: []string{"data.random-1"}}},
		Edges:    []diff.Edge{},
		Findings: []diag.Finding{diag.New(diag.MissingObject, "Deployment x", "finding-1")},
	}
}

// TestWhatIsInOneReportIsInAll looks for each part of a comparison in the text, the Markdown and the page.
func TestWhatIsInOneReportIsInAll(t *testing.T) {
	headline := "1 workload will not come up; 1 workload restarts at each render; 2 workloads restart, 1 of them for nothing; " +
		"1 HelmRelease changes: what it restarts is not known here; 1 changed file that no application here reads; " +
		"1 application could not be rendered"
	for _, format := range []string{"text", "markdown", "html"} {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, everything(), report.Style{Least: diag.Info}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.NewReplacer(`\_`, "_", "&gt;", ">", `>`, ">", `\u003e`, ">", `\[`, "[", `\]`, "]").
			Replace(out.String())), " ")
		for _, want := range []string{headline, "blocked-1", "key key-1 of Secret s is gone", "repeated-1", "metadata.random-2", "restarts-1",
			"Secret versioned: password: shop/db 7 -> 8 (apps/a/rollstamp.lock)", "noise-1", "path-1 a -> b: why-1", "still-1",
			"containers.c.args: --new added", "quiet-1", "k-1 removed", "release-1", "file-1.yaml", "apps/empty", "apps/adopted-1",
			"texts-1", "data.text-1", "bbb", "ccc", "added-1", "unstable-1", "data.random-1", "finding-1", "apps/new", "error-1", "hint-1",
			"apps/asbefore"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, out.String())
			}
		}
		if strings.Contains(text, "error-2") && format != "html" {
			t.Errorf("%s has what fails as before in full", format)
		}
		if last := strings.LastIndex(text, "error-1"); last < strings.LastIndex(text, "finding-1") {
			t.Errorf("%s has failures before the answer", format)
		}
	}
}

func TestFindingsAndPlansDoNothingToATerminal(t *testing.T) {
	f := diag.New(diag.MissingObject, "Deployment a/\x1b[2J", "ConfigMap \x1b[31m\r is not here:\nline two")
	p := &plan.Plan{Workloads: []plan.Workload{{Kind: "Deployment", Name: "web\x1b", References: []plan.Reference{{Kind: "ConfigMap", Name: "c\u202e"}}}}}
	edges := []diff.Edge{{Config: diff.Name{Kind: "ConfigMap", Name: "c\x1b"}, Workload: diff.Name{Kind: "Deployment", Name: "w\r"}, Keys: []string{"k\x07"}}}
	var out bytes.Buffer
	report.Findings(&out, []diag.Finding{f}, report.Style{})
	if err := report.WriteExplanation(&out, "text", p, report.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteGraph(&out, "text", edges, report.Style{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\a\u202e") || !strings.Contains(out.String(), "\nline two") {
		t.Errorf("%q", out.String())
	}
}

// TestAReportOfMuchIsReadable has 500 workloads that restart for one of two causes.
func TestAReportOfMuchIsReadable(t *testing.T) {
	c := &diff.Comparison{Schema: diff.Schema, From: "one", To: "two", Apps: []diff.AppChange{{Name: "a"}, {Name: "b"}}}
	for i := range 500 {
		name := diff.Name{App: "apps/a", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprintf("workload-%03d", i)}
		c.Restarts = append(
			c.Restarts,
			diff.Restart{Name: name, Rollout: diff.Rollout{Effect: diff.Rolling}, Causes: []diff.Cause{{
				Reason: diff.Config, Object: "ConfigMap pipeline-install-config",
				Keys: []diff.KeyChange{{Key: []string{"A", "B"}[i%2], Change: diff.Modification}}}}},
		)
		c.Objects = append(c.Objects, diff.ObjectChange{Name: name, Change: diff.Modification, Fields: []diff.FieldChange{{
			Path: `metadata.labels["helm.sh/chart"]`, Change: diff.Modification, From: "a", To: fmt.Sprint("b", i)}}})
	}
	for format, most := range map[string]int{"text": 70, "markdown": 40} {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, c, report.Style{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n > most {
			t.Errorf("%s has %d lines:\n%s", format, n, out.String())
		}
		if !strings.Contains(out.String(), "250 workloads") || !strings.Contains(out.String(), "500 objects change in labels") {
			t.Errorf("%s does not group:\n%s", format, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if format == "text" && len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
}

func TestWorkloadsThatMissOneThingAreOneItemWithTheirPlaces(t *testing.T) {
	c := &diff.Comparison{Schema: diff.Schema, Apps: []diff.AppChange{{Name: "a"}, {Name: "b"}}}
	for i := range 4 {
		name := diff.Name{App: "a", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprint("web-", i), File: "a/all.yaml", Line: i + 1}
		c.Blocked = append(c.Blocked, diff.Blocked{Name: name, Reason: diff.Gone, Object: "ConfigMap settings"})
	}
	for format, want := range map[string]string{
		"text":     "  4 workloads:\n    ConfigMap settings is gone",
		"markdown": "- 4 workloads: ConfigMap settings is gone, and a container requires it: a: Deployment shop/web-0 (a/all.yaml:1), shop/web-1 (a/all.yaml:2)",
		"html":     `"head":"4 workloads"`,
	} {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, c, report.Style{}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !strings.Contains(text, want) || !strings.Contains(text, "a/all.yaml:4") || strings.Count(text, "settings is gone") != 1 {
			t.Errorf("%s lacks %q:\n%s", format, want, text)
		}
	}
}

// TestNamesDoNothingToATerminalOrAPage has a key with control characters, markup and a megabyte.
func TestNamesDoNothingToATerminalOrAPage(t *testing.T) {
	hostile := "\x1b[2J\r\n\u202e</script><script>alert(1)</script>`|" + strings.Repeat("k", 1<<20)
	c := everything()
	c.Quiet[0].Keys[0].Key = hostile
	c.Restarts[0].Causes[0].Keys[0].Key = hostile
	c.Blocked[0].Key = hostile
	for _, format := range report.DiffFormats() {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, c, report.Style{}); err != nil && format != "count" {
			t.Fatal(err)
		}
		if format != "json" && format != "sarif" && format != "gitlab" && format != "html" && strings.Contains(out.String(), "\u202e") {
			t.Errorf("%s has text that is read in another order", format)
		}
		if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "\r") {
			t.Errorf("%s has control characters", format)
		}
		if format != "json" && out.Len() > 1<<18 {
			t.Errorf("%s has %d bytes", format, out.Len())
		}
		if format == "html" && strings.Contains(out.String(), "<script>alert") {
			t.Error("the page has the markup")
		}
	}
}

func TestATerminalIsNotFloodedByTenThousandObjects(t *testing.T) {
	c := &diff.Comparison{Schema: diff.Schema, From: "a", To: "b", Apps: []diff.AppChange{{Name: "x", Status: diff.Changed}}}
	for i := range 10_000 {
		name := diff.Name{App: "x", Group: "apps", Kind: "Deployment", Name: fmt.Sprint("d-", i)}
		c.Restarts = append(c.Restarts, diff.Restart{Name: name, Rollout: diff.Rollout{Effect: diff.Rolling},
			Causes: []diff.Cause{{Reason: diff.Image, Path: "c", Change: diff.Modification, From: "v1", To: fmt.Sprint("v", i+2)}}})
	}
	var out bytes.Buffer
	if err := report.WriteDiff(&out, "text", c, report.Style{}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines > 1100 || !strings.HasPrefix(out.String(), "10000 workloads restart\n") {
		t.Errorf("%d lines, of which the first is %.40q", lines, &out)
	}
	if !strings.HasSuffix(out.String(), "  and 9500 more; -v shows all\n") {
		t.Error("it does not say how many are left out")
	}
	out.Reset()
	if err := report.WriteDiff(&out, "text", c, report.Style{All: true}); err != nil || !strings.Contains(out.String(), "d-9999") {
		t.Errorf("not all are shown where all are asked for: %v", err)
	}
}

func TestThereIsNoCountWhereNotEverythingIsRenderedAndKnown(t *testing.T) {
	c := everything()
	for _, want := range []string{"could not be rendered", "what it restarts is not known here"} {
		var out bytes.Buffer
		err := report.WriteDiff(&out, "count", c, report.Style{})
		if err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%v, want %q; and it writes %q", err, want, &out)
		}
		c.Apps = slices.DeleteFunc(c.Apps, func(a diff.AppChange) bool { return a.Status == diff.Failed && !a.Alike })
	}
	c.Unknown = slices.DeleteFunc(c.Unknown, func(u diff.Unknown) bool { return u.Reason == diff.Elsewhere })
	var out bytes.Buffer
	if err := report.WriteDiff(&out, "count", c, report.Style{}); err != nil || out.String() != "3\n" {
		t.Errorf("%v, and it writes %q", err, &out)
	}
}

func TestAnApplicationThatCannotBeRenderedIsNotCountedAsChanged(t *testing.T) {
	for _, format := range []string{"markdown", "html"} {
		var out bytes.Buffer
		if err := report.WriteDiff(&out, format, everything(), report.Style{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "1 of 3 applications change") {
			t.Errorf("%s does not say that 1 of 3 applications changes", format)
		}
	}
}
