package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render/helm/order"
)

// refusedByChart is the next step where a template ends the render by itself.
const refusedByChart = "The chart itself ends there, with these words: correct the values that it asks for."

// fail turns an error of Helm's into ours: with a position where Helm's text names one, and without values.
func (r *release) fail(err error) error {
	var known *diag.Error
	if errors.As(err, &known) {
		return err
	}
	var parse *order.ParseError
	if errors.As(err, &parse) {
		err := fmt.Errorf("parse rendered YAML: %w", yamlCause(parse.Err, "an object of Kubernetes"))
		return diag.Input(r.position(parse.Template, 0), err,
			"The line counts in the document that the template prints; see its indentation and quoting.")
	}
	text := inOneWording(strings.ToValidUTF8(err.Error(), "?"))
	at := diag.Position{File: r.req.Path}
	if name, line, ok := templatePlace(text, r.chart.Name()); ok {
		at = r.position(name, line)
	}
	hint := ""
	if strings.HasPrefix(text, "execution error at ") { // of fail and required
		hint = refusedByChart
	}
	return diag.Input(at, errors.New(r.shorten(r.withoutValues(text))), hint)
}

// inOneWording returns an error of a template as Helm 3 words it: Helm 4 takes the first word and two colons out of it.
func inOneWording(text string) string {
	place, rest, ok := strings.Cut(text, " executing ")
	if !ok || strings.ContainsAny(place, " \n") {
		return text
	}
	return "template: " + place + ": executing " + rest
}

func (r *release) shorten(text string) string {
	if r.uncut {
		return text
	}
	return truncate(text)
}

// templatePlace finds the first "CHART/...:LINE" in an error of helm's: the template that was being rendered.
func templatePlace(text, chart string) (name string, line int, ok bool) {
	m := regexp.MustCompile(`(` + regexp.QuoteMeta(chart) + `/[^\s:"()]+):(\d+)`).FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	return m[1], line, err == nil
}

// withoutValues removes from an error what is recognizably a value: text that was given to tpl, what a parser of
// numbers or dates quotes, values under keys that speak of secrets, those that came from Secrets, and users of URLs.
func (r *release) withoutValues(text string) string {
	const quoted = `"(?:[^"\\]|\\.)*"`
	text = regexp.MustCompile(`(cannot parse template|tpl function execution for) `+quoted).ReplaceAllString(text,
		"$1 a value")
	text = regexp.MustCompile(`(?:parsing|parsing time) `+quoted).ReplaceAllString(text, "parsing a value")
	secrets := sensitive(r.values, nil)
	charts := withSubcharts(r.chart, nil)
	for _, c := range charts {
		secrets = sensitive(c.Values, secrets)
	}
	// The name of a chart stands in every position; a password that is the same says nothing there.
	secrets = slices.DeleteFunc(secrets, func(s string) bool {
		return s == r.name || slices.ContainsFunc(charts, func(c *chart.Chart) bool { return c.Name() == s })
	})
	for _, c := range charts {
		secrets = append(secrets, inFiles(c, charts)...)
	}
	all := redact.NewValues(secrets...)
	for _, v := range r.req.Helm.Values {
		text = v.Hidden.In(text)
		all = all.And(v.Hidden)
	}
	return redact.InMessage(all.InMade(text, func(part string) bool { return isPublic(part, charts) }))
}

// inFiles returns the values of names that read like a secret's in the files of a chart that its templates can print,
// but for words that the templates hold as well.
func inFiles(c *chart.Chart, charts []*chart.Chart) (found []string) {
	for _, f := range c.Files {
		if !utf8.Valid(f.Data) || len(f.Data) > maxSearched || strings.HasSuffix(strings.ToLower(f.Name), ".md") {
			continue
		}
		redact.HideInText(string(f.Data), func(value any) string {
			if s, ok := value.(string); ok && len(s) >= 4 && !isPublic(s, charts) {
				found = append(found, s)
			}
			return redact.Mask
		})
	}
	return found
}

// maxSearched bounds the files of a chart in which secrets are looked for, in bytes.
const maxSearched = 1 << 20

// isPublic reports whether what looks like a part of a secret value stands in a name or template of the charts, or is
// one of Helm's own words.
func isPublic(word string, charts []*chart.Chart) bool {
	return isHelms(word) || slices.ContainsFunc(charts, func(c *chart.Chart) bool {
		return isInFile(word, c.Name(), nil) || slices.ContainsFunc(c.Templates, func(f *chart.File) bool {
			return isInFile(word, f.Name, f.Data)
		})
	})
}

// isHelms reports whether a word is one that Helm's errors consist of.
func isHelms(word string) bool {
	const words = "template: execution error at executing <.values <include error calling include: nil pointer evaluating " +
		"interface {} can't evaluate field in type map has no entry for key function not defined templates/"
	return strings.Contains(words, strings.ToLower(word))
}

func isInFile(word, name string, text []byte) bool {
	word = strings.ToLower(word)
	return strings.Contains(strings.ToLower(name), word) || strings.Contains(strings.ToLower(string(text)), word)
}

// sensitive adds to found the strings and numbers below keys that speak of secrets.
func sensitive(values map[string]any, found []string) []string {
	for k, v := range values {
		m, isMap := v.(map[string]any)
		switch {
		case speaksOfSecrets(k), !isMap && redact.IsSecretName(k):
			found = append(found, withoutWordsOf(k, leaves(v, nil))...)
		case isMap:
			found = sensitive(m, found)
		default:
			found = sensitiveItems(v, found)
		}
	}
	return found
}

// withoutWordsOf returns values but for those that are a part of their own key, such as token of tokenSecretKey:
// messages name the key.
func withoutWordsOf(key string, values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool {
		return strings.Contains(strings.ToLower(key), strings.ToLower(v))
	})
}

// sensitiveItems is sensitive for what is in a list, of which an item may be a variable with its name beside its value.
func sensitiveItems(v any, found []string) []string {
	items, _ := v.([]any)
	for _, item := range items {
		switch item := item.(type) {
		case map[string]any:
			if name, _ := item["name"].(string); redact.IsSecretName(name) {
				found = leaves(item["value"], found)
			}
			found = sensitive(item, found)
		case []any:
			found = sensitiveItems(item, found)
		}
	}
	return found
}

func speaksOfSecrets(key string) bool {
	key = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
	// Fields that name where a secret is, not what it is.
	for _, end := range []string{"name", "names", "ref", "path", "file", "type", "enabled", "annotations", "labels"} {
		if strings.HasSuffix(key, end) {
			return false
		}
	}
	if strings.HasPrefix(key, "existing") {
		return false
	}
	for _, word := range []string{"password", "passwd", "passphrase", "secret", "token", "credential", "privatekey",
		"apikey", "accesskey", "tlskey"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// leaves adds the strings and numbers of v that are long enough to differ from ordinary words.
func leaves(v any, found []string) []string {
	add := func(text string) {
		if len(text) >= 4 {
			found = append(found, text)
		}
	}
	switch v := v.(type) {
	case string:
		add(v)
	case float64: // as templates print it, and as it is written
		add(fmt.Sprint(v))
		add(strconv.FormatFloat(v, 'f', -1, 64))
	case int, int64, json.Number:
		add(fmt.Sprint(v))
	case []any:
		for _, x := range v {
			found = leaves(x, found)
		}
	case map[string]any:
		for _, x := range v {
			found = leaves(x, found)
		}
	}
	return found
}
