package argocd

import (
	"bytes"
	"encoding/json"
	"strings"
)

// tree is a part of an Application as JSON.
type tree = map[string]any

func lookup(in tree, path string) any {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			return in[name]
		}
		in, _ = in[name].(tree)
		path = rest
	}
}

func put(in tree, path string, value any) {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			in[name] = value
			return
		}
		below, ok := in[name].(tree)
		if !ok {
			below = tree{}
			in[name] = below
		}
		in, path = below, rest
	}
}

// toTree and fromTree convert between structs and trees.
func toTree(v any) (tree, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return parseTree(text)
}

func parseTree(text []byte) (tree, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var out tree
	err := dec.Decode(&out)
	return out, err
}

func fromTree(in tree, to any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// mergePatch applies a JSON merge patch (RFC 7396) to a tree. Neither is changed.
func mergePatch(under, patch tree) tree {
	out := make(tree, len(under)+len(patch))
	for k, v := range under {
		out[k] = v
	}
	for k, v := range patch {
		over, isTree := v.(tree)
		switch {
		case v == nil:
			delete(out, k)
		case isTree:
			below, _ := out[k].(tree)
			out[k] = mergePatch(below, over)
		default:
			out[k] = v
		}
	}
	return out
}
