// Package sets lays over a chart's values what --set and its relatives say.
package sets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"helm.sh/helm/v3/pkg/strvals"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// Reader reads them as a version of Helm does.
type Reader struct {
	Version config.HelmVersion
	File    func(path string) (string, error) // the content that --set-file sets
}

// Error is why one of them cannot be read. It has no value of it: strvals takes what follows an unescaped comma for a
// key, and quotes that.
type Error struct {
	Flag string // with its dashes
	Key  string // as it is written, up to the first comma
	Why  string
}

// Error names the flag, the key and the cause.
func (e *Error) Error() string { return fmt.Sprintf("parse %s %s=...: %s", e.Flag, e.Key, e.Why) }

// Hint is the next step after an Error.
const Hint = `Write "\," for a comma in a value, and "\." for a dot in a key.`

// Lay changes values by the options, in Helm's order of precedence. An error is an *Error, or one of File.
func (r Reader) Lay(o *render.HelmOptions, values map[string]any) error {
	for _, group := range []struct {
		flag string
		all  []string
		into func(text string, values map[string]any) error
	}{
		{"--set-json", o.SetJSON, r.layJSON},
		{"--set", o.Set, strvals.ParseInto},
		{"--set-string", o.SetString, strvals.ParseIntoString},
		{"--set-file", o.SetFile, r.layFile},
		{"--set-literal", o.SetLiteral, strvals.ParseLiteralInto},
	} {
		for _, text := range group.all {
			if err := group.into(text, values); err != nil {
				return withoutValue(group.flag, text, err)
			}
		}
	}
	return nil
}

// layJSON sets KEY=JSON or, with Helm 4, all that a JSON object has.
func (r Reader) layJSON(text string, values map[string]any) error {
	if trimmed := strings.TrimSpace(text); r.Version == config.Helm4 && strings.HasPrefix(trimmed, "{") {
		var object map[string]any
		if err := json.Unmarshal([]byte(trimmed), &object); err != nil {
			return err
		}
		maps.Copy(values, Merge(values, object))
		return nil
	}
	return strvals.ParseJSON(text, values)
}

func (r Reader) layFile(text string, values map[string]any) error {
	return strvals.ParseIntoFile(text, values, func(path []rune) (any, error) { return r.File(string(path)) })
}

// Merge lays b over a: mappings are merged, everything else is replaced. Neither argument is changed.
func Merge(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	maps.Copy(out, a)
	for k, v := range b {
		under, isMap := out[k].(map[string]any)
		if over, ok := v.(map[string]any); ok && isMap {
			v = Merge(under, over)
		}
		out[k] = v
	}
	return out
}

// withoutValue returns an Error for one of strvals; what File returns, it returns as it is.
func withoutValue(flag, text string, err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return err
	}
	key, _, _ := strings.Cut(text, "=")
	key, _, _ = strings.Cut(key, ",")
	why := "helm cannot parse it"
	switch msg := err.Error(); {
	case strings.Contains(msg, "has no value"):
		why = "a key has no value"
	case strings.Contains(msg, "list must terminate"):
		why = "a list in braces is not closed"
	case errors.Is(err, strvals.ErrNotList), strings.Contains(msg, "index"):
		why = "an index does not fit"
	}
	return diag.Usage(&Error{Flag: flag, Key: key, Why: why}, Hint)
}
