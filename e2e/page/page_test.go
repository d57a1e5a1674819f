// Package page holds the page of a comparison to what a person does with it, in a real Chromium.
package page

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
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
			{Path: `data["file.txt"]`, Change: diff.Modification, From: "one\ntwo\nthree", To: "one\n2\nthree\nfour"}}
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
	c.Restarts = append(c.Restarts, diff.Restart{Name: noisy, Noise: true, Rollout: diff.Rollout{Effect: diff.Rolling}, Causes: []diff.Cause{{Reason: diff.Checksum,
		Path: `metadata.annotations["checksum/config"]`, Change: diff.Modification, From: "a", To: "b", Noise: true, Why: "why", File: "t.yaml", Line: 7}}})
	c.Quiet = append(c.Quiet, diff.Quiet{Name: diff.Name{Kind: "ConfigMap", Name: "unread"}, Keys: []diff.KeyChange{{Key: "A", Change: diff.Addition}}, Reason: diff.NotConsumed})
	c.Objects = append(c.Objects, diff.ObjectChange{Name: diff.Name{Kind: "Secret", Name: "db"}, Change: diff.Modification,
		Fields: []diff.FieldChange{{Path: "data.password", Change: diff.Modification, Hidden: true}}})
	return c
}

// browser opens the page of a comparison. What goes wrong in the page, and what it asks of the network, fails the test.
func browser(t *testing.T, c *diff.Comparison, actions ...chromedp.Action) {
	t.Helper()
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("no Chromium: apt-get install chromium")
		}
		t.Skip("no Chromium on this machine: apt-get install chromium")
	}
	var page bytes.Buffer
	if err := report.WriteDiff(&page, "html", c, report.Style{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(1200, 900))
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	var mu sync.Mutex
	var trouble []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		trouble = append(trouble, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Error())
		case *network.EventRequestWillBeSent:
			if e.Request.URL != "file://"+file && !strings.HasPrefix(e.Request.URL, "data:") {
				note("the page asks for %s", e.Request.URL)
			}
		}
	})
	all := append([]chromedp.Action{network.Enable(), chromedp.Navigate("file://" + file), chromedp.WaitVisible("#objects li")}, actions...)
	if err := chromedp.Run(ctx, all...); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range trouble {
		t.Error(what)
	}
}

// eval asks the page.
func eval[T comparable](t *testing.T, script string, want T) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		t.Helper()
		var got T
		if err := chromedp.Evaluate(script, &got).Do(ctx); err != nil {
			return fmt.Errorf("%s: %w", script, err)
		}
		if got != want {
			t.Errorf("%s is %v, want %v", script, got, want)
		}
		return nil
	})
}

// settled waits until what was typed is drawn.
func settled() chromedp.Action {
	return chromedp.Evaluate(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })
}

func TestThePageShowsWhatRestartsAndWhy(t *testing.T) {
	browser(t, comparison(40),
		eval(t, `document.title`, "rollstamp: 5 workloads restart, 1 of them for nothing"),
		eval(t, `document.querySelectorAll('#restart li').length`, 4),
		eval(t, `document.querySelector('#restart li').textContent`, "Deployment shop/api-0000apps/app-00ConfigMap settings-0000: LEVEL changed"),
		eval(t, `document.querySelectorAll('#noise li').length`, 1),
		eval(t, `document.querySelector('#noise .where').textContent.trim()`, "t.yaml:7"),
		eval(t, `document.querySelectorAll('#quiet li').length`, 1),
		eval(t, `document.querySelectorAll('#canvas path.hot').length`, 4),
		eval(t, `document.querySelectorAll('img').length`, 0),
	)
}

func TestAFieldOfSeveralLinesIsShownSideBySide(t *testing.T) {
	browser(t, comparison(10),
		chromedp.Click(`#objects li details summary`),
		chromedp.WaitVisible(`#objects li .two`),
		eval(t, `[...document.querySelectorAll('#objects li:first-child .two')].map(x => x.querySelectorAll('.del').length + '/' + x.querySelectorAll('.ins').length).join(' ')`, "1/1 1/2"),
		eval(t, `document.querySelector('#objects').textContent.includes('password')`, false),
		chromedp.Evaluate(`[...document.querySelectorAll('#objects details')].at(-1).open = true`, nil),
		settled(),
		eval(t, `[...document.querySelectorAll('#objects li')].at(-1).querySelector('.field').textContent`, "data.password changed (hidden)"),
	)
}

func TestSearchAndFiltersNarrowEverything(t *testing.T) {
	browser(t, comparison(2000),
		eval(t, `document.querySelector('#objects h2 b').textContent`, "2001"),
		eval(t, `document.querySelectorAll('#objects li').length`, 300),
		chromedp.KeyEvent("/"),
		eval(t, `document.activeElement.id`, "search"),
		chromedp.Evaluate(`document.activeElement.value = ''`, nil), // the protocol types the key that the page has taken
		chromedp.KeyEvent("settings-1990"),
		settled(),
		eval(t, `document.querySelector('#objects h2 b').textContent`, "1 of 2001"),
		eval(t, `document.querySelectorAll('#restart li').length`, 1),
		eval(t, `document.querySelectorAll('#canvas .node').length`, 2),
		chromedp.KeyEvent(kb.Escape),
		settled(),
		eval(t, `document.querySelectorAll('#restart li').length`, 200),
		chromedp.Evaluate(`const a = document.querySelector('#app'); a.value = 'apps/app-10'; a.dispatchEvent(new Event('change'))`, nil),
		settled(),
		eval(t, `document.querySelector('#objects h2 b').textContent`, "100 of 2001"),
		chromedp.Evaluate(`document.querySelector('#kinds button').click()`, nil),
		settled(),
		eval(t, `document.querySelector('#restart').hidden`, true),
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
		chromedp.Focus(`#canvas .node`), chromedp.KeyEvent(kb.Enter), settled(),
		eval(t, `document.querySelectorAll('#canvas .node.dim').length`, 4),
	)
}

func TestThePageFollowsTheSystemIntoTheDarkAndOntoSmallScreens(t *testing.T) {
	var shot []byte
	browser(t, comparison(30),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Reload(), chromedp.WaitVisible("#objects li"),
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
