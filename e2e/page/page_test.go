// Package page holds the page of a comparison to what a person does with it, in a real Chromium.
package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// hostile is a name that would break out of a page that takes it for markup.
const hostile = `</script><img src=x onerror="document.title='broken'">`

// comparison is one with so many objects, a tenth of them workloads that restart.
func comparison(objects int) *diff.Comparison {
	c := &diff.Comparison{Schema: diff.Schema, From: "v1", To: "v2", Quiet: []diff.Quiet{}, Findings: []diag.Finding{}}
	for i := range objects {
		app := fmt.Sprintf("apps/app-%02d", i%20)
		if i < 20 {
			c.Apps = append(c.Apps, diff.AppChange{Name: app, Status: diff.Changed, From: objects / 20, To: objects / 20})
		}
		config := diff.Name{App: app, Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprintf("settings-%04d", i), File: app + "/a.yaml", Line: i + 1}
		fields := []diff.FieldChange{{Path: "data.LEVEL", Change: diff.Modification, From: "info", To: "debug"},
			{Path: `data["file.txt"]`, Change: diff.Modification, From: "one\ntwo\nthree", To: "one\n2\nthree\nfour",
				Hunks: "@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four"}}
		c.Objects = append(c.Objects, diff.ObjectChange{Name: config, Change: diff.Modification, Fields: fields})
		if i%10 != 0 {
			continue
		}
		workload := diff.Name{App: app, Group: "apps", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprintf("api-%04d", i)}
		c.Restarts = append(c.Restarts, diff.Restart{Name: workload, Rollout: diff.Rollout{Effect: diff.Rolling},
			Causes: []diff.Cause{{Reason: diff.Config, Object: config.Kind + " " + config.Name, Keys: []diff.KeyChange{{Key: "LEVEL", Change: diff.Modification}}}}})
		c.Edges = append(c.Edges, diff.Edge{Config: config, Workload: workload, Keys: []string{"LEVEL"}, Changed: true, Restarts: true})
	}
	noisy := diff.Name{App: "apps/app-00", Group: "apps", Kind: "Deployment", Name: hostile}
	c.Restarts = append(c.Restarts, diff.Restart{Name: noisy, Noise: true, Rollout: diff.Rollout{Effect: diff.Rolling},
		Causes: []diff.Cause{{Reason: diff.Checksum,
			Path: `metadata.annotations["checksum/config"]`, Change: diff.Modification, From: "a", To: "b", Noise: true, Why: "why", File: "t.yaml", Line: 7}}})
	c.Quiet = append(c.Quiet, diff.Quiet{Name: diff.Name{Kind: "ConfigMap", Name: "unread"}, Keys: []diff.KeyChange{{Key: "A", Change: diff.Addition}}, Reason: diff.NotConsumed})
	c.Objects = append(c.Objects, diff.ObjectChange{Name: diff.Name{Kind: "Secret", Name: "db"}, Change: diff.Modification,
		Fields: []diff.FieldChange{{Path: "data.password", Change: diff.Modification, Hidden: true}}})
	return c
}

func TestThePageShowsWhatRestartsAndWhy(t *testing.T) {
	browser(t, comparison(40),
		eval(t, `document.title`, "rollstamp: 5 workloads restart, 1 of them for nothing"),
		eval(t, `document.querySelectorAll('#restart li[data-key]').length`, 4),
		eval(t, `document.querySelector('#restart li').textContent`, "Deployment shop/api-0000apps/app-00ConfigMap settings-0000: LEVEL changed"),
		eval(t, `document.querySelectorAll('#noise li[data-key]').length`, 1),
		eval(t, `document.querySelector('#noise .where').textContent.trim()`, "t.yaml:7"),
		eval(t, `document.querySelectorAll('#quiet li').length`, 1),
		eval(t, `document.querySelectorAll('.graph path.hot').length`, 4),
		eval(t, `document.querySelectorAll('img').length`, 0),
	)
}

func TestAFieldOfSeveralLinesIsShownSideBySide(t *testing.T) {
	browser(t, comparison(10),
		chromedp.Click(`#objects li[data-key="ConfigMap shop/settings-0000"] details summary`, chromedp.ByQuery),
		chromedp.WaitVisible(`#objects li .two`),
		eval(t, `[...document.querySelectorAll('#objects li[data-key="ConfigMap shop/settings-0000"] .two')].map(x => x.querySelectorAll('.del').length + '/' + x.querySelectorAll('.ins').length).join(' ')`, "1/1 1/2"),
		eval(t, `document.querySelector('#objects').textContent.includes('password')`, false),
		chromedp.Evaluate(`[...document.querySelectorAll('#objects details')].find(x => x.textContent.includes('Secret')).open = true`, nil),
		settled(),
		eval(t, `[...document.querySelectorAll('#objects li')].find(x => x.textContent.includes('Secret')).querySelector('.field').textContent`, "data.password changed (hidden)"),
	)
}

func TestSearchAndFiltersNarrowEverything(t *testing.T) {
	browser(t, comparison(2000),
		eval(t, `document.querySelector('#objects h2').textContent`, "Objects: 2001 changed"),
		eval(t, `document.querySelectorAll('#objects h3').length`, 21),
		chromedp.KeyEvent("/"),
		eval(t, `document.activeElement.id`, "search"),
		do(`document.activeElement.value = ''`), // the protocol types the key that the page has taken
		chromedp.KeyEvent("settings-1990"),
		settled(),
		eval(t, `document.querySelector('#objects h2 .count').textContent.trim()`, "1 of 2001"),
		eval(t, `document.querySelectorAll('#restart li[data-key]').length`, 1),
		eval(t, `document.querySelectorAll('#graph .node').length`, 2),
		chromedp.KeyEvent(kb.Escape),
		settled(),
		eval(t, `document.querySelectorAll('#restart li[data-key]').length`, 25),
		eval(t, `document.querySelector('#restart .more').textContent`, "Show 25 of 175 more"),
		chromedp.Click(`#restart .more`, chromedp.ByQuery),
		eval(t, `document.querySelectorAll('#restart li[data-key]').length`, 50),
		do(`const a = document.querySelector('#app'); a.value = 'apps/app-10'; a.dispatchEvent(new Event('change'))`),
		eval(t, `document.querySelector('#objects h2 .count').textContent.trim()`, "100 of 2001"),
		do(`const p = document.querySelector('#part'); p.value = 'objects'; p.dispatchEvent(new Event('change'))`),
		eval(t, `document.querySelector('#restart') === null`, true),
		eval(t, `document.querySelectorAll('#objects').length`, 1),
	)
}

func TestWhatIsNotThereIsASentence(t *testing.T) {
	none := &diff.Comparison{Schema: diff.Schema, From: "v1", To: "v2"}
	for i := range 12 {
		none.Apps = append(none.Apps, diff.AppChange{Name: fmt.Sprint("apps/", i), Status: diff.Same, From: 3, To: 3})
	}
	browser(t, none,
		eval(t, `document.querySelector('h1').textContent`, "nothing differs"),
		eval(t, `document.querySelector('main').textContent.trim()`, "Nothing differs: 12 applications compared, with 36 objects."),
		eval(t, `document.querySelector('#bar').hidden`, true),
	)
	browser(t, comparison(10),
		chromedp.SendKeys(`#search`, "zzz", chromedp.ByQuery), settled(),
		eval(t, `document.querySelector('main').textContent.trim()`, "There is nothing that matches “zzz”."),
	)
}

func TestThePageIsUsedWithTheKeyboard(t *testing.T) {
	browser(t, comparison(30),
		chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"),
		eval(t, `document.querySelectorAll('li.at').length`, 1),
		eval(t, `document.querySelector('li.at') === document.querySelector('#restart li')`, true),
		chromedp.KeyEvent("g"), settled(),
		eval(t, `document.querySelector('#search').value`, "Deployment shop/api-0000"),
		chromedp.KeyEvent(kb.Escape), settled(),
		eval(t, `document.querySelector('#search').value`, ""),
		eval(t, `document.documentElement.classList.contains('dark')`, false),
		chromedp.KeyEvent("t"),
		eval(t, `document.documentElement.classList.contains('dark')`, true),
		chromedp.Focus(`#graph .node`), chromedp.KeyEvent(kb.Enter), settled(),
		eval(t, `document.querySelectorAll('#graph .node.dim').length`, 2),
	)
}

func TestThePageFollowsTheSystemIntoTheDarkAndOntoSmallScreens(t *testing.T) {
	var shot []byte
	browser(t, comparison(30),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Reload(), drawn(),
		eval(t, `document.documentElement.classList.contains('dark')`, true),
		eval(t, `getComputedStyle(document.body).backgroundColor`, "rgb(13, 17, 23)"),
		emulation.SetDeviceMetricsOverride(380, 800, 1, true), settled(),
		eval(t, `document.documentElement.scrollWidth <= 380`, true),
		chromedp.CaptureScreenshot(&shot),
	)
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "dark-small.png"), shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheLastRowsAreOfferedAsTheyAre(t *testing.T) {
	browser(t, fleet(40, 1), eval(t, `document.querySelector('#objects .more').textContent`, "Show 15 more"))
}

func TestLinesThatDoNotChangeAreShownOnceWhereThereIsNoRoomForTwo(t *testing.T) {
	shown := `[...document.querySelectorAll('#objects .two div')].filter(d => d.offsetParent && d.textContent === 'a: 1').length`
	browser(t, fleet(1, 1), do(`document.querySelectorAll('#objects details').forEach(d => { d.open = true })`), settled(),
		eval(t, shown, 2), emulation.SetDeviceMetricsOverride(390, 900, 1, false), settled(), eval(t, shown, 1))
}
