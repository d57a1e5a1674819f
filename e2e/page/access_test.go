package page

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe-core finds what people who see little or use no mouse cannot read or reach.
const (
	axeVersion = "4.14.1"
	axeSum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==" // SHA-512 of its package
)

// axe returns the script of axe-core, which npm fetches once.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "rollstamp-tools", "axe-core-"+axeVersion)
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		npm, err := exec.LookPath("npm")
		if err != nil && os.Getenv("CI") == "" {
			t.Skip("no npm on this machine to fetch axe-core with: apt-get install npm")
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(npm, "pack", "--silent", "axe-core@"+axeVersion)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fetch axe-core: %v\n%s", err, out)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha512.New()
	unpacked, err := gzip.NewReader(io.TeeReader(f, sum))
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for files := tar.NewReader(unpacked); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.Name == "package/axe.min.js" {
			text, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			script = string(text)
		}
	}
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	if got := base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != axeSum || script == "" {
		t.Fatalf("the sum of %s is %s, want %s", file, got, axeSum)
	}
	return script
}

// accessible reports what axe-core finds.
func accessible(t *testing.T, script, what string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		t.Helper()
		var text string
		find := `axe.run({resultTypes: ['violations']}).then(r => JSON.stringify({rules: r.passes.length, violations: r.violations.map(
			v => v.id + ': ' + v.help + '\n' + v.nodes.slice(0, 4).map(n => '  ' + n.html.slice(0, 200) + ' ' + n.any.map(a => a.message).join()).join('\n'))}))`
		err := chromedp.Run(ctx, chromedp.Evaluate(script+"; null", nil), chromedp.Evaluate(find, &text,
			func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
		if err != nil {
			return fmt.Errorf("ask axe-core: %w", err)
		}
		var found struct {
			Rules      int
			Violations []string
		}
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			return err
		}
		if found.Rules < 15 {
			t.Errorf("%s: axe-core passed %d rules only", what, found.Rules)
		}
		if len(found.Violations) > 0 {
			t.Errorf("%s: %s", what, strings.Join(found.Violations, "\n"))
		}
		return nil
	})
}

func TestThePageIsAccessibleInBothThemesAndAtAllWidths(t *testing.T) {
	script := axe(t)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			what := fmt.Sprintf("%s, %d wide", theme, width)
			wanted := []chromedp.Action{
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}),
				emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Reload(), drawn(),
				accessible(t, script, what),
			}
			c := fleet(8, 10)
			browser(t, c, append(wanted, everything(), do(`document.querySelectorAll('details').forEach(d => { d.open = true })`),
				settled(), accessible(t, script, what+", all open"))...)
			open(t, graphPage(t, forty()[:30]), wanted...)
		}
	}
}
