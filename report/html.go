package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// The page's parts, which become one file that needs no other.
var (
	//go:embed page/page.html
	pageText string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/*.js
	pageScripts embed.FS
)

// scriptFiles are the files of the page's script, in the order in which they run.
var scriptFiles = []string{"dom.js", "rows.js", "layout.js", "graph.js", "page.js"}

// diffHTML writes a comparison as one page that works from a file, without any network.
func diffHTML(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	style.All = true // the page folds what is long
	a := answerWith(c, style, objectsByScript(c))
	return page(out, view{a, nothingToShow(c), list(c.Apps), list(c.Objects), list(c.Edges), countedBefore(c)})
}

// countedBefore returns the workloads that the headline counts before those that restart.
func countedBefore(c *diff.Comparison) []diff.Name {
	out, named := []diff.Name{}, namedBefore(c)
	for _, r := range c.Restarts {
		if named[workloadOf(r.Name)] {
			out = append(out, r.Name)
		}
	}
	return out
}

// objectsByScript returns the section whose items the script makes, of the comparison's objects.
func objectsByScript(c *diff.Comparison) section {
	if len(c.Objects) == 0 {
		return section{}
	}
	return section{Part: changed, Title: objectsTitle(c.Objects), Items: []item{}}
}

// nothingToShow returns the sentence of a page of which all parts are empty.
func nothingToShow(c *diff.Comparison) string {
	objects := 0
	for _, a := range c.Apps {
		objects += a.To
	}
	return fmt.Sprintf("Nothing differs: %s compared, with %s.", diag.Count(len(c.Apps), "application"),
		diag.Count(objects, "object"))
}

// graphHTML writes edges as a page to look around in.
func graphHTML(out *bytes.Buffer, edges []diff.Edge, style Style) error {
	a := answer{Headline: fmt.Sprintf("%s read by workloads", diag.Count(len(edges), "reference")),
		Sides: []string{"", style.Label}, Facts: []string{}, Sections: []section{}}
	return page(out, view{a, "No workload refers to anything.", []diff.AppChange{}, []diff.ObjectChange{}, list(edges),
		[]diff.Name{}})
}

// view is what the page's script draws.
type view struct {
	answer
	None    string              `json:"none"` // the sentence where there is nothing to draw
	Apps    []diff.AppChange    `json:"apps"`
	Objects []diff.ObjectChange `json:"objects"`
	Edges   []diff.Edge         `json:"edges"`
	Counted []diff.Name         `json:"counted"` // workloads that are not among those that restart
}

// page writes a page. Its policy names the sums of its style and its script, so that nothing else runs in it.
func page(out *bytes.Buffer, v view) error {
	var script bytes.Buffer
	for _, name := range scriptFiles {
		text, err := pageScripts.ReadFile("page/" + name)
		if err != nil {
			return fmt.Errorf("read the page's script: %w", err)
		}
		script.Write(text)
	}
	filled := strings.NewReplacer("{{style-sum}}", contentSum([]byte(pageStyle)),
		"{{script-sum}}", contentSum(script.Bytes()), "{{style}}", pageStyle, "{{script}}", script.String())
	before, after, _ := strings.Cut(pageText, "{{data}}")
	out.WriteString(filled.Replace(before))
	if err := newEncoder(out, inPage).fields(&v); err != nil {
		return err
	}
	out.Truncate(out.Len() - len("\n"))
	out.WriteString(filled.Replace(after))
	return nil
}

// contentSum returns how a Content-Security-Policy names a style or a script.
func contentSum(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
