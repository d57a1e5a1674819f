package lint

import (
	"errors"
	"fmt"
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
				c.policyFile(object, key, texts[key])
			}
		}
	}
}

// isYAML reports whether a name is one of a file of YAML.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// policyFile reports each mistake in the text of a policy file, at its line. Of a Secret nothing is quoted: what is
// named as the policy file may be another key.
func (c *checker) policyFile(object, key string, one embedded) {
	for _, err := range diag.Unjoin(config.CheckPolicy([]byte(one.text), one.file)) {
		at := diag.Position{File: one.file, Line: one.line}
		var known *diag.Error
		if errors.As(err, &known) {
			at.Line += known.Pos.Line
		}
		text, hint := diag.CauseOf(err).Error(), diag.HintOf(err)
		if one.isSecret {
			text = fmt.Sprintf("line %d of %s is refused by each render", at.Line-one.line, key)
			hint = "Write it to a file, and run rollstamp config with ROLLSTAMP_POLICY=FILE: it says why. Nothing of a Secret is " +
				"shown here."
		}
		f := diag.New(diag.SidecarPolicy, object, text).At(at)
		f.Severity, f.Hint = diag.Failure, hint
		c.findings = append(c.findings, f)
	}
}
