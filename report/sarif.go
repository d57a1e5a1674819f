package report

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// The parts of a SARIF log that we write, by the names of its specification.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		Level     string            `json:"level"`
		Message   sarifMessage      `json:"message"`
		Locations []sarifLocation   `json:"locations,omitempty"`
		Prints    map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

var sarifLevels = map[diag.Severity]string{diag.Info: "note", diag.Warning: "warning", diag.Failure: "error"}

// diffSARIF writes a comparison as SARIF 2.1.0, the format of static analysis that code hosts read.
func diffSARIF(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"rollstamp", style.Version, []sarifRule{}}}, Results: []sarifResult{}}
	known := map[string]bool{}
	for _, r := range remarks(c) {
		if !known[r.rule] {
			known[r.rule] = true
			title := or(rules[r.rule], strings.ReplaceAll(r.rule, "-", " "))
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.rule, sarifMessage{title}})
		}
		one := sarifResult{RuleID: r.rule, Level: sarifLevels[r.severity], Message: sarifMessage{r.message},
			Prints: map[string]string{"rollstamp/v1": r.fingerprint()}}
		if r.file != "" {
			at := sarifPhysical{Artifact: sarifArtifact{uri(r.file)}}
			if r.line > 0 {
				at.Region = &sarifRegion{r.line}
			}
			one.Locations = []sarifLocation{{at}}
		}
		run.Results = append(run.Results, one)
	}
	return encode(out, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// uri returns a path as it is written in a URI.
func uri(path string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "\\", "/", "#", "%23", "?", "%3F").Replace(path)
}
