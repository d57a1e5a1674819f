package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
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
	ctx, stop = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox)...)
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
			chromedp.Text("#results li", &shown, chromedp.ByQuery), chromedp.KeyEvent(kb.Enter),
			chromedp.Poll(fmt.Sprintf(`location.href.endsWith(%q)`, want), nil, chromedp.WithPollingTimeout(5*time.Second)),
			chromedp.Location(&at))
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
