package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
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

// diffHTML writes a comparison as one page that works from a file, without any network.
func diffHTML(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	style.All = true // the page folds what is long
	a := answerOf(c, style)
	// The comparison has the objects.
	a.Sections = slices.DeleteFunc(a.Sections, func(s section) bool { return s.Part == changed })
	return page(out, a, c)
}

// graphHTML writes edges as a page to look around in.
func graphHTML(out *bytes.Buffer, edges []diff.Edge, style Style) error {
	verdict := fmt.Sprintf("%s read by workloads", diag.Count(len(edges), "reference"))
	return page(out, answer{Headline: verdict, Sides: []string{"", style.Label}, Facts: []string{}, Sections: []section{}},
		&diff.Comparison{Schema: diff.Schema, To: style.Label, Edges: list(edges), Apps: []diff.AppChange{},
			Objects: []diff.ObjectChange{}})
}

// page writes the page of an answer.
func page(out *bytes.Buffer, a answer, c *diff.Comparison) error {
	view := struct {
		answer
		Apps    []diff.AppChange    `json:"apps"`
		Objects []diff.ObjectChange `json:"objects"`
		Edges   []diff.Edge         `json:"edges"`
	}{a, c.Apps, c.Objects, c.Edges}
	var data bytes.Buffer
	enc := json.NewEncoder(&data) // it writes <, > and & as escapes: no text of the input ends the script
	if err := enc.Encode(view); err != nil {
		return fmt.Errorf("encode comparison: %w", err)
	}
	text := pageText
	parts := []struct {
		name string
		text []byte
	}{{"{{style}}", []byte(pageStyle)}, {"{{data}}", bytes.TrimSpace(data.Bytes())}, {"{{script}}", []byte(pageScript)}}
	for _, part := range parts {
		before, after, _ := strings.Cut(text, part.name)
		out.WriteString(before)
		out.Write(part.text)
		text = after
	}
	out.WriteString(text)
	return nil
}
