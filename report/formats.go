package report

import (
	"bytes"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// format is a row of the table of formats: how each view is written in it; nil where it has no such view.
type format struct {
	name     string
	diff     func(*bytes.Buffer, *diff.Comparison, Style) error
	explain  func(*bytes.Buffer, *plan.Plan, Style) error
	findings func(*bytes.Buffer, []diag.Finding, Style) error
	graph    func(*bytes.Buffer, []diff.Edge, Style) error
}

// formats are all formats, in the order in which help lists them. A new one is a row here and a file with its
// functions.
var formats = []format{
	{name: "text", diff: diffText, explain: explainText, findings: findingsText, graph: graphText},
	{name: "json", diff: diffJSON, explain: explainJSON, findings: findingsJSON, graph: graphJSON},
	{name: "markdown", diff: diffMarkdown},
	{name: "html", diff: diffHTML, graph: graphHTML},
	{name: "sarif", diff: diffSARIF, findings: asComparison(diffSARIF)},
	{name: "github", diff: diffGitHub, findings: asComparison(diffGitHub)},
	{name: "gitlab", diff: diffGitLab, findings: asComparison(diffGitLab)},
	{name: "count", diff: diffCount},
	{name: "dot", graph: graphDOT},
	{name: "mermaid", graph: graphMermaid},
}

// asComparison returns how findings are written where a comparison is a list of remarks: as one that holds nothing
// else.
func asComparison(write func(*bytes.Buffer, *diff.Comparison, Style) error) func(*bytes.Buffer, []diag.Finding,
	Style) error {
	return func(out *bytes.Buffer, found []diag.Finding, style Style) error {
		return write(out, &diff.Comparison{Findings: found}, style)
	}
}

// DiffFormats returns the names of the formats of a comparison.
func DiffFormats() []string { return names(func(f format) bool { return f.diff != nil }) }

// ExplainFormats returns the names of the formats of a plan.
func ExplainFormats() []string { return names(func(f format) bool { return f.explain != nil }) }

// FindingsFormats returns the names of the formats of findings.
func FindingsFormats() []string { return names(func(f format) bool { return f.findings != nil }) }

// GraphFormats returns the names of the formats of a graph.
func GraphFormats() []string { return names(func(f format) bool { return f.graph != nil }) }

func names(has func(format) bool) (out []string) {
	for _, f := range formats {
		if has(f) {
			out = append(out, f.name)
		}
	}
	return out
}

// WriteDiff writes a comparison in one of DiffFormats.
func WriteDiff(out *bytes.Buffer, name string, c *diff.Comparison, style Style) error {
	if f := formatOf(name); f.diff != nil {
		return f.diff(out, c, style)
	}
	return unknownFormat("comparison", name)
}

// WriteExplanation writes a plan in one of ExplainFormats.
func WriteExplanation(out *bytes.Buffer, name string, p *plan.Plan, style Style) error {
	if f := formatOf(name); f.explain != nil {
		return f.explain(out, p, style)
	}
	return unknownFormat("explanation", name)
}

// WriteFindings writes findings in one of FindingsFormats.
func WriteFindings(out *bytes.Buffer, name string, found []diag.Finding, style Style) error {
	if f := formatOf(name); f.findings != nil {
		return f.findings(out, found, style)
	}
	return unknownFormat("findings", name)
}

// WriteGraph writes edges in one of GraphFormats.
func WriteGraph(out *bytes.Buffer, name string, edges []diff.Edge, style Style) error {
	if f := formatOf(name); f.graph != nil {
		return f.graph(out, edges, style)
	}
	return unknownFormat("graph", name)
}

// formatOf returns the row of a name, or an empty one.
func formatOf(name string) format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return format{}
}

func unknownFormat(what, name string) error { return fmt.Errorf("write %s: no format %q", what, name) }
