package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// remark is one thing to say at a place in the source.
type remark struct {
	rule     string
	severity diag.Severity
	message  string
	file     string
	line     int
}

// rules are what remarks are about, beside the codes of findings.
var rules = map[string]string{
	"restart":       "A workload restarts",
	"noisy-restart": "A workload restarts, and nothing that it reads has changed",
	"no-restart":    "A pod template changes, and no pod is replaced by it",
	"quiet-change":  "Configuration changes and restarts nothing",
	"render-failed": "An application could not be rendered",
}

// remarks lists what there is to say of a comparison, in the order of the reports.
func remarks(c *diff.Comparison) []remark {
	var out []remark
	for _, a := range c.Apps {
		for _, p := range a.Problems {
			out = append(out, remark{"render-failed", diag.Failure, fmt.Sprintf("%s (%s): %s", or(a.Name, "."), side(p.Side, c), p.Error), a.Name, 0})
		}
	}
	for _, r := range c.Restarts {
		rule, severity, verb := "restart", diag.Info, " restarts: "
		switch partOf(r) {
		case still:
			rule, verb = "no-restart", " changes ("+Effect(r.Rollout)+"): "
		case noisy:
			rule, severity = "noisy-restart", diag.Warning
		}
		var why []string
		for _, cause := range shown(r) {
			why = append(why, oneLine(CauseText(cause)))
		}
		out = append(out, remark{rule, severity, r.Name.String() + verb + strings.Join(why, "; "), r.File, r.Line})
	}
	for _, q := range c.Quiet {
		out = append(out, remark{"quiet-change", diag.Warning, QuietText(q), q.File, q.Line})
	}
	for _, f := range c.Findings {
		message := f.Message
		if f.Object != "" {
			message = f.Object + ": " + message
		}
		out = append(out, remark{string(f.Code), f.Severity, message, f.File, f.Line})
	}
	return out
}

// DiffGitHub writes a comparison as workflow commands, which GitHub shows as annotations at the lines. It takes ten of a kind for each
// step; what is more is left to the job's summary, which is the Markdown.
func DiffGitHub(out *bytes.Buffer, c *diff.Comparison) {
	const take = 10
	shown := map[string]int{}
	for _, r := range remarks(c) {
		kind := map[diag.Severity]string{diag.Info: "notice", diag.Warning: "warning", diag.Failure: "error"}[r.severity]
		if shown[kind]++; shown[kind] > take {
			continue
		}
		var at []string
		if r.file != "" {
			at = append(at, "file="+property(r.file))
			if r.line > 0 {
				at = append(at, fmt.Sprint("line=", r.line))
			}
		}
		at = append(at, "title="+property("rollstamp: "+r.rule))
		fmt.Fprintf(out, "::%s %s::%s\n", kind, strings.Join(at, ","), escapeCommand(r.message))
	}
}

// escapeCommand and property write what a workflow command's text, and a property of it, may not hold.
func escapeCommand(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeCommand(s))
}

// DiffGitLab writes a comparison as a Code Quality report.
func DiffGitLab(w io.Writer, c *diff.Comparison) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	out := []issue{}
	for _, r := range remarks(c) {
		out = append(out, issue{
			Description: r.message, CheckName: r.rule, Fingerprint: r.fingerprint(),
			Severity: map[diag.Severity]string{diag.Info: "info", diag.Warning: "minor", diag.Failure: "major"}[r.severity],
			Location: location{or(r.file, "."), lines{max(r.line, 1)}},
		})
	}
	return encode(w, out)
}

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

// DiffSARIF writes a comparison as SARIF 2.1.0, the format of static analysis that code hosts read.
func DiffSARIF(w io.Writer, c *diff.Comparison, version string) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"rollstamp", version, []sarifRule{}}}, Results: []sarifResult{}}
	known := map[string]bool{}
	for _, r := range remarks(c) {
		if !known[r.rule] {
			known[r.rule] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.rule, sarifMessage{or(rules[r.rule], strings.ReplaceAll(r.rule, "-", " "))}})
		}
		one := sarifResult{RuleID: r.rule, Level: sarifLevels[r.severity], Message: sarifMessage{r.message}, Prints: map[string]string{"rollstamp/v1": r.fingerprint()}}
		if r.file != "" {
			at := sarifPhysical{Artifact: sarifArtifact{uri(r.file)}}
			if r.line > 0 {
				at.Region = &sarifRegion{r.line}
			}
			one.Locations = []sarifLocation{{at}}
		}
		run.Results = append(run.Results, one)
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// fingerprint tells a remark from others wherever its line goes.
func (r remark) fingerprint() string {
	sum := sha256.Sum256([]byte(r.rule + "\x00" + r.file + "\x00" + r.message))
	return hex.EncodeToString(sum[:16])
}

// uri makes a path one that may stand in a URI.
func uri(path string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "\\", "/", "#", "%23", "?", "%3F").Replace(path)
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return nil
}

// list returns items as a list that does not encode as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
