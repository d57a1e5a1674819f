package lint

import (
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
)

// maxVariable is the size of the largest variable of the environment, with its name and the "=": one byte less than
// the system's 128 KiB.
const maxVariable = 128<<10 - 1

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(\$|\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*)`)
})

// environment checks plugin.env: values are expanded before the plugin sees them.
func (c *checker) environment(n *yaml.Node) {
	for _, e := range items(n) {
		name, value := get(e, "name").Value, get(e, "value")
		if err := checkVariable(name, value.Value); err != nil {
			at := value
			if argocd.CheckVariableName(name) != nil {
				at = get(e, "name")
			}
			c.report(diag.SourceEnvironment, orParent(at, e), "%v", err).Hint = diag.HintOf(err)
			c.findings[len(c.findings)-1].Severity = diag.Failure
			continue
		}
		if size := len("ARGOCD_ENV_") + len(name) + 1 + len(value.Value); size > maxVariable {
			f := c.report(diag.SourceEnvironment, value,
				"%s has %d bytes; the plugin cannot be started with more than %d", name, size, maxVariable)
			f.Severity, f.Hint = diag.Failure, "Move it to a file of the repository."
		}
		for _, found := range variable().FindAllString(value.Value, -1) {
			word := strings.Trim(found, "${}")
			if found == "$$" || strings.HasPrefix(word, "ARGOCD_") || strings.HasPrefix(word, "KUBE_") {
				continue
			}
			// What follows the dollar may be a part of a password.
			c.report(diag.SourceEnvironment, value,
				"%s: Argo CD expands names after a dollar sign, and removes those that it does not know", name).
				Hint = "Write $$ for a dollar sign."
			break
		}
	}
}

// checkVariable returns what the plugin says to a variable, as far as that is known before its value is filled in.
func checkVariable(name, value string) error {
	switch {
	case isFilledIn(name):
		return nil
	case isFilledIn(value):
		return argocd.CheckVariableName(name)
	}
	return argocd.CheckVariable(name, value)
}
