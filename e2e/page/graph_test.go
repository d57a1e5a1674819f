package page

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

// forty are the edges of 40 applications that have nothing to do with each other and name everything alike, 20 each.
func forty() []diff.Edge {
	var out []diff.Edge
	for app := range 40 {
		for i := range 20 {
			name := fmt.Sprintf("apps/app-%02d", app)
			out = append(out, diff.Edge{
				Config: diff.Name{App: name, Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("settings-", i%5)},
				Workload: diff.Name{App: name, Group: "apps", Kind: "Deployment", Namespace: []string{"shop", "pay"}[i%2],
					Name: fmt.Sprintf("a-workload-whose-name-is-rather-long-and-is-to-be-read-whole-%d", i%7)},
				Keys: []string{fmt.Sprint("KEY_", i)}})
		}
	}
	return out
}

func graphPage(t *testing.T, edges []diff.Edge) []byte {
	t.Helper()
	var page bytes.Buffer
	if err := report.WriteGraph(&page, "html", edges, report.Style{Label: "apps/*"}); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

func TestTheGraphIsDrawnByApplicationAndNamespace(t *testing.T) {
	open(t, graphPage(t, forty()),
		eval(t, `document.querySelectorAll('#graph h2').length`, 25),
		chromedp.Click(`#graph .more`, chromedp.ByQuery),
		eval(t, `document.querySelectorAll('#graph h2').length`, 40),
		eval(t, `document.querySelectorAll('#graph svg').length`, 0), // none before it is opened
		chromedp.Click(`#graph h2 button`, chromedp.ByQuery),
		eval(t, `[...document.querySelectorAll('#graph .hint')].map(p => p.textContent).slice(1).join()`, "Namespace pay,Namespace shop"),
		eval(t, `document.querySelectorAll('#graph .graph').length`, 2),
		eval(t, `document.querySelectorAll('#graph .graph path').length`, 20),
	)
}

func TestAllEdgesOfTheGraphAreReached(t *testing.T) {
	edges := forty()
	for i := range 200 { // one application with more than is drawn at once
		edges = append(edges, diff.Edge{Config: diff.Name{App: "apps/wide", Kind: "Secret", Name: fmt.Sprint("s-", i)},
			Workload: diff.Name{App: "apps/wide", Kind: "Job", Name: fmt.Sprint("j-", i)}})
	}
	open(t, graphPage(t, edges), everything(),
		eval(t, `document.querySelectorAll('#graph .graph path').length`, 1000),
		eval(t, `new Set([...document.querySelectorAll('#graph .graph g:not(.node) > title')].map(x => x.textContent)).size > 200`, true))
	open(t, graphPage(t, edges), emulation.SetDeviceMetricsOverride(380, 800, 1, true), chromedp.Reload(), drawn(),
		everything(),
		eval(t, `document.querySelectorAll('#graph .tree ul li').length`, 1000))
}

func TestNoTwoBoxesOfAGraphHaveOneLabelAndNoneIsCut(t *testing.T) {
	edges := forty()
	for _, group := range []string{"apps", "example.com"} {
		edges = append(edges, diff.Edge{Config: diff.Name{App: "apps/app-00", Kind: "ConfigMap", Namespace: "shop", Name: "settings-0"},
			Workload: diff.Name{App: "apps/app-00", Group: group, Kind: "Deployment", Namespace: "shop", Name: "twice"}})
	}
	labels := `const labels = g => [...g.querySelectorAll('.node text')].map(x => x.textContent);`
	open(t, graphPage(t, edges), everything(),
		eval(t, `{`+labels+`[...document.querySelectorAll('.graph')].filter(g => new Set(labels(g)).size !== labels(g).length).length}`, 0),
		eval(t, `document.querySelectorAll('.graph').length`, 80),
		eval(t, `[...document.querySelectorAll('.node text')].filter(x => x.textContent.includes('…')).length`, 0),
		// A label lies in its box, and the keys on an edge on no other.
		eval(t, `[...document.querySelectorAll('.node')].filter(n => n.querySelector('text').getBBox().width + 12 > n.querySelector('rect').getBBox().width).length`, 0),
		eval(t, `[...document.querySelectorAll('.graph')].filter(g => {
			const at = [...g.querySelectorAll('.key')].map(k => k.getBBox());
			return at.some((a, i) => at.some((b, j) => i < j && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height));
		}).length`, 0),
		eval(t, `[...document.querySelectorAll('.graph .key')].filter(k => /^(KEY_[0-9]+|all keys)$/.test(k.textContent)).length`, len(edges)),
	)
}

func TestTheLegendNamesTheLinesThatThereAre(t *testing.T) {
	lines := `[...document.querySelectorAll('.graph-line')].map(x => x.textContent).join('; ')`
	open(t, graphPage(t, forty()[:3]), eval(t, lines, ""))
	c := comparison(30)
	browser(t, c, eval(t, lines, "changes, and restarts the workload"))
	c.Edges[0].Restarts = false
	c.Edges[1].Restarts, c.Edges[1].Changed = false, false
	browser(t, c, eval(t, lines, "changes, and restarts the workload; changes, and does not restart it; does not change"),
		eval(t, `document.querySelectorAll('.graph path.wait').length`, 1),
		eval(t, `document.querySelectorAll('.graph path:not([class])').length`, 1))
}
