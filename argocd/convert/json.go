package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/manifest"
)

// isJSON reports whether a document is written as JSON.
func isJSON(d *manifest.Document) bool {
	root := d.Root()
	return root.IsFlow() && json.Valid(d.Text()[root.Offset():root.End()])
}

// inJSON encodes an entry as JSON, in one line.
func inJSON(entry *yaml.Node) (string, error) {
	line, err := jsonOf(entry)
	return strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}"), err
}

func jsonOf(n *yaml.Node) (string, error) {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := jsonOf(n.Content[i+1])
			if err != nil {
				return "", err
			}
			parts = append(parts, jsonText(n.Content[i].Value)+": "+value)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case yaml.SequenceNode:
		for _, item := range n.Content {
			value, err := jsonOf(item)
			if err != nil {
				return "", err
			}
			parts = append(parts, value)
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" {
			return jsonText(n.Value), nil
		}
	}
	return "", errors.New("write JSON: a parameter is no text, list or mapping")
}

func jsonText(text string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can be encoded
	return strings.TrimSuffix(out.String(), "\n")
}
