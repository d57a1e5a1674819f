package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// fleet is a comparison of so many applications with so many ConfigMaps each, and as many workloads that read them.
func fleet(apps, configs int) *diff.Comparison {
	c := &diff.Comparison{Schema: diff.Schema, From: "main", To: "a-branch", Findings: []diag.Finding{{Code: diag.MissingObject,
		Severity: diag.Failure, Object: "Deployment pay/api", Message: "ConfigMap settings is not here"}}}
	for a := range apps {
		app := fmt.Sprintf("apps/%s-%02d", []string{"shop", "pay", "search", "infrastructure"}[a%4], a)
		c.Apps = append(c.Apps, diff.AppChange{Name: app, Status: diff.Changed, From: 2 * configs, To: 2 * configs})
		name := func(group, kind, name string, i int) diff.Name {
			return diff.Name{App: app, Group: group, Kind: kind, Namespace: []string{"blue", "green"}[i%2], Name: fmt.Sprintf("%s-%02d", name, i),
				File: app + "/all.yaml", Line: 10*i + 1}
		}
		for i := range configs {
			config, workload := name("", "ConfigMap", "settings", i), name("apps", "Deployment", "api", i)
			level := diff.KeyChange{Key: "LOG_LEVEL", Change: diff.Modification}
			c.Objects = append(c.Objects, diff.ObjectChange{Name: config, Change: diff.Modification, Fields: []diff.FieldChange{
				{Path: "data.LOG_LEVEL", Change: diff.Modification, From: "info", To: "debug"},
				{Path: `data["app.yaml"]`, Change: diff.Modification, From: "a: 1\nb: 2\n", To: "a: 1\nb: 3\n", Hunks: "@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3"}}},
				diff.ObjectChange{Name: workload, Change: diff.Modification, Fields: []diff.FieldChange{
					{Path: "spec.template.metadata.annotations.stamp", Change: diff.Modification, From: "1", To: "2"}}})
			c.Restarts = append(c.Restarts, diff.Restart{Name: workload, Rollout: diff.Rollout{Effect: diff.Rolling},
				Noise:  i%10 == 9,
				Causes: []diff.Cause{{Reason: diff.Config, Object: config.Kind + " " + config.Name, Keys: []diff.KeyChange{level}}}})
			c.Edges = append(c.Edges, diff.Edge{Config: config, Workload: workload, Keys: []string{"LOG_LEVEL"}, Changed: true, Restarts: true})
			if i > 1 {
				c.Edges = append(c.Edges, diff.Edge{Config: name("", "ConfigMap", "settings", i-2), Workload: workload, Changed: i%3 == 0})
			}
			if i%10 == 5 {
				c.Quiet = append(c.Quiet, diff.Quiet{Name: config, Keys: []diff.KeyChange{level}, Reason: diff.NotConsumed})
			}
		}
	}
	c.Blocked = append(c.Blocked, diff.Blocked{Name: c.Restarts[0].Name, Reason: diff.Gone, Object: "ConfigMap settings"})
	c.Unknown = append(c.Unknown, diff.Unknown{Reason: diff.Unread, File: "apps/values.yaml"})
	c.Apps = append(c.Apps, diff.AppChange{Name: "apps/broken", Status: diff.Failed, Problems: []diff.Problem{
		{Side: "to", Error: "apps/broken/kustomization.yaml:1: find \"gone.yaml\" of resources: no such file or directory"}}})
	return c
}

func TestThePageOf2000ObjectsIsNoLongerThanItCanBeRead(t *testing.T) {
	height := `document.documentElement.scrollHeight`
	browser(t, fleet(40, 25), eval(t, `document.querySelector('#objects h2').textContent`, "Objects: 2000 changed"),
		eval(t, `String(`+height+` < 9000 || `+height+`)`, "true"))
}

// The work of a redraw grows with the applications, of which there are four times as many, and not with the objects, of
// which there are ten times as many.
func TestARedrawDoesNotGrowWithTheObjects(t *testing.T) {
	type work struct{ elements, layouts, cpu float64 }
	measure := func(c *diff.Comparison) (out work) {
		metrics := func(ctx context.Context) map[string]float64 {
			all, err := performance.GetMetrics().Do(ctx)
			if err != nil {
				t.Fatal(err)
			}
			values := map[string]float64{}
			for _, m := range all {
				values[m.Name] = m.Value
			}
			return values
		}
		browser(t, c, performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks), settled(),
			chromedp.ActionFunc(func(ctx context.Context) error {
				before := metrics(ctx)
				const redraws = 10
				for i := range redraws {
					word := []string{"settings", "api"}[i%2]
					if err := chromedp.Run(ctx, do(fmt.Sprintf(`const s = document.querySelector('#search'); s.value = %q; s.dispatchEvent(new Event('input'))`, word)), settled()); err != nil {
						return err
					}
				}
				after := metrics(ctx)
				out.layouts = (after["LayoutCount"] - before["LayoutCount"]) / redraws
				out.cpu = (after["TaskDuration"] - before["TaskDuration"]) / redraws
				return chromedp.Evaluate(`document.querySelectorAll('main *').length`, &out.elements).Do(ctx)
			}))
		return out
	}
	small, large := measure(fleet(10, 10)), measure(fleet(40, 25))
	t.Logf("200 objects: %.0f elements, %.1f layouts, %.1f ms; 2,000: %.0f, %.1f, %.1f ms", small.elements, small.layouts, 1000*small.cpu,
		large.elements, large.layouts, 1000*large.cpu)
	if large.elements > 4*small.elements || large.elements > 1000 {
		t.Errorf("a redraw makes %.0f elements for 2,000 objects, and %.0f for 200", large.elements, small.elements)
	}
	if large.layouts > small.layouts+2 {
		t.Errorf("a redraw lays out %.1f times for 2,000 objects, and %.1f for 200", large.layouts, small.layouts)
	}
}

// The pictures are for people: SCREENSHOTS=/a/folder go test -run Pictures
func TestPicturesOfThePage(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("no folder for pictures: set SCREENSHOTS")
	}
	for _, size := range []struct{ apps, configs int }{{1, 5}, {10, 10}, {40, 25}} {
		for _, theme := range []string{"light", "dark"} {
			var actions []chromedp.Action
			for _, width := range []int64{1280, 800, 390} {
				actions = append(actions,
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}),
					emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Reload(), drawn(), settled(),
					picture(dir, fmt.Sprintf("%d-%s-%d.png", 2*size.apps*size.configs, theme, width)))
			}
			browser(t, fleet(size.apps, size.configs), actions...)
		}
	}
	browser(t, fleet(2, 6), do(`document.querySelectorAll('#objects details').forEach((d, i) => { d.open = i < 2 })`), settled(),
		chromedp.Click(`.graph .node`, chromedp.ByQuery), picture(dir, "open.png"))
	open(t, graphPage(t, forty()), chromedp.Click(`#graph h2 button`, chromedp.ByQuery), picture(dir, "graph.png"))
}

func picture(dir, name string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var png []byte
		if err := chromedp.FullScreenshot(&png, 100).Do(ctx); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), png, 0o644)
	})
}
