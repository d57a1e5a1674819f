package lint

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// policyFiles checks the policy files that the file holds: what a sidecar names as its own, and what is called one of
// rollstamp's, whose sidecar may stand in another file.
func (c *checker) policyFiles() {
	for _, object := range slices.Sorted(maps.Keys(c.contents)) {
		texts := c.contents[object].texts
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			isCalledSo := strings.Contains(object, program) && strings.Contains(object, "policy") && isYAML(key)
			if texts[key].file != "" && (isCalledSo || c.policyKeys[object+"/"+key]) {
				c.policyFile(object, texts[key])
			}
		}
	}
}

// isYAML reports whether a name is one of a file of YAML.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// policyFile reports each mistake in the text of a policy file, at its line.
func (c *checker) policyFile(object string, one embedded) {
	for _, err := range diag.Unjoin(config.CheckPolicy([]byte(one.text), one.file)) {
		at := diag.Position{File: one.file, Line: one.line}
		var known *diag.Error
		if errors.As(err, &known) {
			at.Line += known.Pos.Line
		}
		f := diag.New(diag.SidecarPolicy, object, diag.CauseOf(err).Error()).At(at)
		f.Severity, f.Hint = diag.Failure, diag.HintOf(err)
		c.findings = append(c.findings, f)
	}
}
