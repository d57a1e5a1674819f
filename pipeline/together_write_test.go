package pipeline_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	kube "sigs.k8s.io/yaml"
)

// text writes the tree, in one of many styles.
func (t *tree) text() []byte {
	var out bytes.Buffer
	if t.oneIn(8) {
		return t.write(object{"apiVersion": "v1", "kind": "List", "items": t.objects})
	}
	for i, o := range t.objects {
		if i > 0 || t.oneIn(2) {
			out.WriteString("---\n")
		}
		out.Write(t.write(o))
	}
	return out.Bytes()
}

// write writes an object. Where a random style is read as another object, it is written as JSON.
func (t *tree) write(o object) []byte {
	var plain any
	j, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(j, &plain); err != nil {
		panic(err)
	}
	switch t.below(6) {
	case 0:
		return append(j, '\n')
	case 1, 2:
		y, err := kube.Marshal(o)
		if err != nil {
			panic(err)
		}
		return y
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(pick(t.choices, 2, 4))
	var back any
	err = e.Encode(t.node(plain, 0))
	if err != nil || kube.Unmarshal(out.Bytes(), &back) != nil || !reflect.DeepEqual(back, plain) {
		return append(j, '\n')
	}
	return out.Bytes()
}

// node returns a value with random styles and comments.
func (t *tree) node(v any, depth int) *yaml.Node {
	n := &yaml.Node{}
	flow := depth > 1 && t.oneIn(12)
	switch v := v.(type) {
	case map[string]any:
		n.Kind = yaml.MappingNode
		names := slices.Sorted(maps.Keys(v))
		if t.oneIn(4) {
			t.rest.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		for _, k := range names {
			n.Content = append(n.Content, t.node(k, depth+1), t.node(v[k], depth+1))
		}
	case []any:
		n.Kind = yaml.SequenceNode
		for _, item := range v {
			n.Content = append(n.Content, t.node(item, depth+1))
		}
	case string:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!str", v
		if t.oneIn(8) {
			n.Style = pick(t.choices, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle)
		}
	default:
		if err := n.Encode(v); err != nil {
			panic(err)
		}
	}
	if flow && n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	if t.oneIn(40) {
		n.HeadComment = "# above"
	}
	return n
}
