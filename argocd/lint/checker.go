package lint

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// checker checks one file.
type checker struct {
	file     string
	rules    Rules
	offset   int                     // lines before the text that is read, if it is inside another
	object   string                  // "Kind name" of the document
	known    int                     // documents that were checked
	judged   map[string]bool         // objects of rules.Looked that were reported
	wrong    map[int]bool            // lines of values of another type than their fields have
	unknown  map[*yaml.Node]bool     // keys that were reported
	queries  map[*yaml.Node]parsedJq // of ignoreDifferences, as far as they have been read
	names    []string                // of plugins that run rollstamp
	contents contents                // of the ConfigMaps and Secrets of the file
	// the keys of contents that sidecars name as their policy file, "ConfigMap name/key"
	policyKeys   map[string]bool
	patchVolumes []*yaml.Node // of the other patches of the kustomization that is read
	inValues     bool         // what is read are values of a chart, which may hold templates
	findings     []diag.Finding
}

func newChecker(file string, rules Rules) *checker {
	return &checker{file: file, rules: rules, judged: map[string]bool{}, wrong: map[int]bool{},
		unknown: map[*yaml.Node]bool{}, policyKeys: map[string]bool{}}
}

// report adds a finding at a node.
func (c *checker) report(code diag.Code, at *yaml.Node, format string, args ...any) *diag.Finding {
	pos := diag.Position{File: c.file, Line: at.Line + c.offset}
	f := diag.New(code, c.object, fmt.Sprintf(format, args...)).At(pos)
	c.findings = append(c.findings, f)
	return &c.findings[len(c.findings)-1]
}
