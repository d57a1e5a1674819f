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

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

// browser opens the page of a comparison.
func browser(t *testing.T, c *diff.Comparison, actions ...chromedp.Action) {
	t.Helper()
	var page bytes.Buffer
	if err := report.WriteDiff(&page, "html", c, report.Style{}); err != nil {
		t.Fatal(err)
	}
	open(t, page.Bytes(), actions...)
}

// open opens a page. What goes wrong in it, and what it asks of the network, fails the test.
func open(t *testing.T, page []byte, actions ...chromedp.Action) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.WindowSize(1200, 900))
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
	all := append([]chromedp.Action{network.Enable(), chromedp.Navigate("file://" + file), drawn()}, actions...)
	if err := chromedp.Run(ctx, all...); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range trouble {
		t.Error(what)
	}
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium: apt-get install chromium")
	}
	t.Skip("no Chromium on this machine: apt-get install chromium")
	return ""
}

// drawn waits until the page has drawn itself.
func drawn() chromedp.Action {
	return chromedp.WaitReady("main section, #note:not(:empty)", chromedp.ByQuery)
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

// do runs a script of which nothing comes back.
func do(script string) chromedp.Action { return chromedp.Evaluate("{"+script+"}; null", nil) }

// settled waits until what was typed is drawn.
func settled() chromedp.Action {
	return chromedp.Evaluate(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })
}

// everything opens all that folds, and shows all of what pages.
func everything() chromedp.Action {
	return do(`for (let b; (b = document.querySelector('.fold[aria-expanded=false], .more'));) b.click()`)
}
