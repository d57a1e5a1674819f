package announce

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// chart announces each value in the chart's own values.yaml.
//
// Each is a parameter by itself, because Argo CD's UI writes the whole of an announced map into the Application as
// soon as one of its entries is edited: every default would be frozen there, and strings that look like numbers would
// become numbers. Strings are announced as entries of forceStringParameters for the same reason.
func chart(app App) ([]Parameter, []diag.Finding) {
	text, err := app.read("values.yaml")
	if err != nil {
		return nil, []diag.Finding{unreadFinding("values.yaml", err)}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		// the library's message quotes the text
		return nil, []diag.Finding{unreadFinding("values.yaml", errors.New("parse YAML: not well-formed"))}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	v := values{described: paramLines(string(text))}
	var findings []diag.Finding
	if text, err = app.read("values.schema.json"); err == nil {
		v.schema, err = parseSchema(text)
	}
	if err != nil {
		findings = append(findings, unreadFinding("values.schema.json", err))
	}
	v.walk(doc.Content[0], v.schema, nil, nil)
	if v.seen > maxValues {
		findings = append(findings, unreadFinding("values.yaml",
			fmt.Errorf("it has more than %d values; the first ones are shown", maxValues)))
	}
	if v.more > 0 && v.seen <= maxValues {
		findings = append(findings, unreadFinding("values.yaml",
			fmt.Errorf("%d values are more than the %d that a form can show", v.more, maxListed)))
	}
	return v.out, findings
}

// values collects the parameters of one values.yaml.
type values struct {
	schema    *schema
	described map[string]string // by path, from @param lines
	out       []Parameter
	more      int
	seen      int // values that were visited
}

// maxDepth and maxValues bound the walk: aliases can make an endless tree, and a small file of billions of values.
const (
	maxDepth  = 32
	maxValues = 100_000
)

func (v *values) walk(n *yaml.Node, s *schema, key *yaml.Node, path []string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v.seen++; v.seen > maxValues {
		return
	}
	if n.Kind != yaml.MappingNode {
		if key != nil {
			v.add(n, s, key, path)
		}
		return
	}
	for i := 0; i+1 < len(n.Content) && len(path) < maxDepth; i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.ShortTag() == "!!str" && boolWord(k) == "" {
			v.walk(n.Content[i+1], s.property(k.Value), k, append(path[:len(path):len(path)], k.Value))
		}
	}
}

// add announces one value: a scalar, or a list of scalars. Other lists cannot be edited in a form.
func (v *values) add(n *yaml.Node, s *schema, key *yaml.Node, path []string) {
	text, item, ok := plain(n)
	if !ok {
		return
	}
	if len(v.out) == maxListed {
		v.more++
		return
	}
	p := Parameter{
		Name:  "parameters." + setPath(path),
		Title: s.title(strings.Join(path, ".")), Tooltip: v.tooltip(n, s, key, path),
		ItemType: item, CollectionType: "string", String: text, Required: s.isRequired(),
	}
	if item == "string" && n.Kind == yaml.ScalarNode {
		p.Name = "forceStringParameters." + setPath(path)
	}
	if p.String != "" && item == "string" && (redact.IsSecretName(path[len(path)-1]) || holdsSecret(p.String)) {
		p.String = ""
		p.Tooltip = strings.TrimSpace(p.Tooltip + " (The default is not shown.)")
	}
	v.out = append(v.out, p)
}

// holdsSecret reports whether a secret shows in a value, whatever its name: a private key, an address with a password.
func holdsSecret(text string) bool {
	return redact.HideInText(text, func(any) string { return redact.Mask }) != text
}

// plain returns a value as a parameter's text, and the type of its items.
func plain(n *yaml.Node) (text, item string, ok bool) {
	switch {
	case n.Kind == yaml.SequenceNode:
		var words []string
		for _, each := range n.Content {
			if each.Kind != yaml.ScalarNode || each.Value == "" || strings.ContainsAny(each.Value, `,{}\`) {
				return "", "", false
			}
			words = append(words, each.Value)
		}
		return "{" + strings.Join(words, ",") + "}", "string", len(words) > 0
	case n.Kind != yaml.ScalarNode:
		return "", "", false
	}
	switch tag := n.ShortTag(); {
	case tag == "!!bool":
		return strings.ToLower(n.Value), "boolean", true
	case tag == "!!str" && boolWord(n) != "":
		return boolWord(n), "boolean", true
	case tag == "!!float":
		return n.Value, "number", true
	case tag == "!!int":
		_, err := strconv.ParseInt(n.Value, 10, 64)
		return n.Value, "number", err == nil && (n.Value == "0" || !strings.HasPrefix(n.Value, "0"))
	case tag == "!!null":
		return "", "", true
	}
	return n.Value, "string", true
}

// boolWord returns true or false for a word that Helm's YAML reads as a boolean although ours does not, and "" for any
// other.
func boolWord(n *yaml.Node) string {
	if n.Style != 0 {
		return "" // in quotes
	}
	switch n.Value {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return "true"
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return "false"
	}
	return ""
}

var escaped = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `,`, `\,`, `=`, `\=`, `[`, `\[`)

// setPath returns a path as helm's --set writes it.
func setPath(path []string) string {
	out := make([]string, len(path))
	for i, p := range path {
		out[i] = escaped.Replace(p)
	}
	return strings.Join(out, ".")
}

// tooltip returns the chart author's description of a value: from the schema, a @param line, or a comment.
func (v *values) tooltip(n *yaml.Node, s *schema, key *yaml.Node, path []string) string {
	for _, text := range []string{s.description(), v.described[strings.Join(path, ".")], comment(key.HeadComment),
		comment(n.LineComment), comment(key.LineComment)} {
		if text != "" {
			return short(text)
		}
	}
	return ""
}
