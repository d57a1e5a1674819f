package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
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
	//go:embed page/page.js
	pageScript string
)

// pageRestart is a restart with its words, so that the page has the same ones as the other reports.
type pageRestart struct {
	Name   diff.Name   `json:"name"`
	Part   part        `json:"part"`
	Effect string      `json:"effect,omitempty"`
	Causes []pageCause `json:"causes"`
}

type pageCause struct {
	Text  string `json:"text"`
	Noise bool   `json:"noise,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

type pageQuiet struct {
	Name diff.Name `json:"name"`
	Text string    `json:"text"`
}

// diffHTML writes a comparison as one page that works from a file, without any network.
func diffHTML(out *bytes.Buffer, c *diff.Comparison, _ Style) error { return page(out, Verdict(c), c) }

// graphHTML writes edges as a page to look around in.
func graphHTML(out *bytes.Buffer, edges []diff.Edge, style Style) error {
	verdict := fmt.Sprintf("%s read by workloads", diag.Count(len(edges), "reference"))
	return page(out, verdict, &diff.Comparison{
		Schema: diff.Schema, To: style.Label, Edges: list(edges),
		Apps: []diff.AppChange{}, Restarts: []diff.Restart{}, Quiet: []diff.Quiet{}, Objects: []diff.ObjectChange{},
	})
}

// page writes the page of a comparison under its verdict.
func page(out *bytes.Buffer, verdict string, c *diff.Comparison) error {
	view := struct {
		Verdict    string           `json:"verdict"`
		Restarts   []pageRestart    `json:"restarts"`
		Quiet      []pageQuiet      `json:"quiet"`
		Comparison *diff.Comparison `json:"comparison"`
	}{verdict, []pageRestart{}, []pageQuiet{}, c}
	for _, r := range c.Restarts {
		one := pageRestart{Name: r.Name, Part: partOf(r), Effect: Effect(r.Rollout)}
		for _, cause := range shown(r) {
			one.Causes = append(one.Causes, pageCause{CauseText(cause), cause.Noise, cause.File, cause.Line})
		}
		view.Restarts = append(view.Restarts, one)
	}
	for _, q := range c.Quiet {
		view.Quiet = append(view.Quiet, pageQuiet{q.Name, strings.TrimPrefix(QuietText(q), q.Name.String()+": ")})
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data) // it writes <, > and & as escapes: no text of the input ends the script
	if err := enc.Encode(view); err != nil {
		return fmt.Errorf("encode comparison: %w", err)
	}
	text := pageText
	parts := []struct{ name, text string }{
		{"{{style}}", pageStyle}, {"{{script}}", pageScript}, {"{{data}}", strings.TrimSpace(data.String())},
	}
	for _, part := range parts {
		before, after, _ := strings.Cut(text, part.name)
		text = before + part.text + after
	}
	out.WriteString(text)
	return nil
}
