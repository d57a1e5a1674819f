package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

// pageRestart is a restart with its words, so that the page says what the other reports say.
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

// DiffHTML writes a comparison as one page that works from a file, without any network.
func DiffHTML(w io.Writer, c *diff.Comparison) error { return page(w, Verdict(c), c) }

func page(w io.Writer, verdict string, c *diff.Comparison) error {
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
	for _, part := range []struct{ name, text string }{{"{{style}}", pageStyle}, {"{{script}}", pageScript}, {"{{data}}", strings.TrimSpace(data.String())}} {
		before, after, _ := strings.Cut(text, part.name)
		text = before + part.text + after
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
