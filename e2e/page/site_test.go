package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// documentation builds the site of the documentation and returns its pages.
func documentation(t *testing.T) (dir string, pages []string) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.Command("go", "run", ".", "-out", dir)
	cmd.Dir = "../../release/site"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the site: %v\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return dir, pages
}

// tab opens a browser of its own.
func tab(t *testing.T) context.Context {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no Chromium: apt-get install chromium")
		}
		t.Skip("no Chromium on this machine: apt-get install chromium")
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox)...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	return ctx
}

func TestPagesOfTheDocumentationFitThreeWidths(t *testing.T) {
	_, pages := documentation(t)
	ctx := tab(t)
	for _, width := range []int64{1280, 800, 390} {
		for _, page := range pages {
			var over string
			err := chromedp.Run(ctx, emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Navigate("file://"+page),
				chromedp.WaitReady("main h1"),
				// What is wider than the window, but for what scrolls by itself.
				chromedp.Evaluate(`document.documentElement.scrollWidth <= innerWidth ? "" : document.documentElement.scrollWidth + " wide"`, &over))
			if err != nil {
				t.Fatal(err)
			}
			if over != "" {
				t.Errorf("%s is %s in a window of %d", filepath.Base(page), over, width)
			}
		}
	}
}

// arrival does what leads to another address, and returns when the tab is there: a script in the page would end with
// it.
func arrival(at *string, action chromedp.Action) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		there := make(chan string, 16)
		listening, stop := context.WithCancel(ctx)
		defer stop()
		chromedp.ListenTarget(listening, func(event any) {
			switch e := event.(type) {
			case *page.EventFrameNavigated:
				there <- e.Frame.URL + e.Frame.URLFragment
			case *page.EventNavigatedWithinDocument:
				there <- e.URL
			}
		})
		if err := action.Do(ctx); err != nil {
			return err
		}
		select {
		case *at = <-there:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func TestTheSearchOfTheDocumentationLeadsThere(t *testing.T) {
	dir, _ := documentation(t)
	ctx := tab(t)
	for words, want := range map[string]string{
		"subpath-hits-nothing": "findings.html#subpath-hits-nothing",
		"exit codes":           "index.html#exit-codes",
		"argocd convert":       "commands.html#rollstamp-argocd-convert",
	} {
		var at, shown string
		err := chromedp.Run(ctx, chromedp.Navigate("file://"+dir+"/stores.html"), chromedp.WaitReady("#search", chromedp.ByQuery),
			chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent(words), chromedp.WaitVisible("#results a", chromedp.ByQuery),
			chromedp.Text("#results li", &shown, chromedp.ByQuery), arrival(&at, chromedp.KeyEvent(kb.Enter)))
		if err != nil || !strings.HasSuffix(at, want) {
			t.Errorf("%q leads to %q, %v; the first that is found is %q", words, at, err, shown)
		}
	}
	var none string
	if err := chromedp.Run(ctx, chromedp.Navigate("file://"+dir+"/index.html"), chromedp.SendKeys("#search", "zzzz <img>", chromedp.ByQuery),
		chromedp.WaitVisible("#results li", chromedp.ByQuery), chromedp.Text("#results", &none, chromedp.ByQuery)); err != nil || none != "Nothing is found." {
		t.Errorf("%v, it shows %q", err, none)
	}
}
