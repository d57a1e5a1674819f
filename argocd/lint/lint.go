// Package lint finds what Argo CD ignores or refuses without an error: in a plugin's file, in an Application that uses
// it, and in the sidecar that runs it.
package lint

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
)

// File checks every document of a file, and manifests inside manifests: the patches of a kustomization, the plugin
// files of a ConfigMap. Findings are in the order of lines. A file that is not YAML is an error; one without anything
// to check is a finding.
func File(name string, text []byte, rules Rules) ([]diag.Finding, error) {
	c := newChecker(name, rules)
	c.contents = c.contentsOf(text)
	if err := c.stream(text, 0); err != nil {
		return nil, err
	}
	c.policyFiles()
	c.leftOver()
	if c.known == 0 {
		c.findings = append(c.findings, Nothing(name))
	}
	return diag.Sort(c.findings), nil
}

// Nothing returns the finding of a path without anything to check.
func Nothing(name string) diag.Finding {
	return diag.New(diag.Skipped, "", "it holds no plugin, Application or sidecar; nothing was checked").
		At(diag.Position{File: name})
}

// Unreadable returns the finding of a file among others that is not YAML. A template may be right: what makes it one is
// not known here.
func Unreadable(err error, isTemplate bool) diag.Finding {
	f := diag.New(diag.SourceUnjudged, "", diag.CauseOf(err).Error()+": nothing in the file was checked")
	f.Severity, f.Hint = diag.Failure, diag.HintOf(err)
	if isTemplate {
		f.Severity = diag.Info
	}
	var known *diag.Error
	if errors.As(err, &known) {
		f = f.At(known.Pos)
	}
	return f
}
