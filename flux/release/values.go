package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/redact"
)

// compose returns the values of a release, and what of the object came from Secrets: what spec.valuesFrom refers to in
// its order, then spec.values. An entry with a target path is set on both of what came before it and spec.values, and
// counts more than these only where nothing before it made the table that it is in; as in helm-controller.
func compose(r *objects.HelmRelease, refs []Values) (table map[string]any, hidden *redact.Values, err error) {
	var inline map[string]any
	if len(r.Spec.Values) > 0 {
		if err := json.Unmarshal(r.Spec.Values, &inline); err != nil {
			return nil, nil, r.FailAt(errors.New("spec.values is not a mapping"), "", "values")
		}
	}
	table = map[string]any{}
	var secrets []string
	for _, v := range refs {
		if v.TargetPath != "" {
			table = merge(table, inline)
			if err := v.set(table); err != nil {
				return nil, nil, r.FailAt(err, v.hint(), "valuesFrom", v.Index)
			}
			if v.Secrecy != redact.Public {
				secrets = append(scalars(secrets, v.alone()), string(v.Text))
			}
			continue
		}
		var layer map[string]any
		if err := yaml.Unmarshal(v.Text, &layer); err != nil {
			return nil, nil, r.FailAt(fmt.Errorf("read values of %s: %s", v.From, yamlCause(err)),
				"Correct it, or name another valuesKey. A single value needs a targetPath.", "valuesFrom", v.Index)
		}
		table = merge(table, layer)
		if v.Secrecy != redact.Public {
			secrets = scalars(secrets, layer)
		}
	}
	return merge(table, inline), redact.NewValues(secrets...).And(r.Secrets.Values).Forms(), nil
}

// merge lays b over a: mappings are merged, everything else is replaced. Neither is changed, and what only one of them
// has is shared with it.
func merge(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		above, ok := v.(map[string]any)
		below, both := out[k].(map[string]any)
		if ok && both {
			v = merge(below, above)
		}
		out[k] = v
	}
	return out
}

// literals are the characters that --set takes for syntax, the backslash first.
var literals = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// set sets the value at its target path as --set does, or as --set-string where it is literal or in quotes.
func (v Values) set(table map[string]any) error {
	text, parse := string(v.Text), strvals.ParseInto
	switch {
	case v.Literal:
		text, parse = literals.Replace(text), strvals.ParseIntoString
	case isQuoted(text, "'"), isQuoted(text, `"`):
		text, parse = strings.Trim(text, `'"`), strvals.ParseIntoString
	}
	if parse(v.TargetPath+"="+text, table) != nil { // its error may quote the value
		return fmt.Errorf("set %s to the value of %s: helm cannot parse it as of --set", v.TargetPath, v.From)
	}
	return nil
}

// alone returns what the value sets at its target path where nothing else is: --set makes several of one with commas.
func (v Values) alone() map[string]any {
	table := map[string]any{}
	if v.set(table) != nil {
		return nil
	}
	return table
}

// hint returns the next step where the value cannot be set.
func (v Values) hint() string {
	if strvals.ParseInto(v.TargetPath+"=x", map[string]any{}) != nil {
		return "Correct its targetPath: keys with dots between them, and the number of an entry of a list in brackets."
	}
	return `Set "literal: true" for a value that holds commas, brackets or braces.`
}

func isQuoted(text, quote string) bool {
	return strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote)
}

// yamlCause returns what is wrong with a text, without a word of it.
func yamlCause(err error) string {
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return fmt.Sprintf("line %d is not YAML", line)
		}
	}
	return "it is not a mapping of YAML"
}
