package argocd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// tree is a part of an Application as JSON.
type tree = map[string]any

// overlay sets options in a source of one kind; each replaces a field. Those that set parts of the same field are
// joined. An option that the kind does not have is an error.
func overlay(source tree, kind render.Kind, options []setting) error {
	fresh := map[string]bool{}
	for _, g := range options {
		path, ok := g.option.path(kind)
		if !ok {
			return diag.Usage(fmt.Errorf("%s: the application is %s, which has no such option", g.from, article[kind]),
				"Remove it, or check the application's path.")
		}
		if g.key != "" {
			overlayEntry(source, path, g)
			continue
		}
		if list, isList := g.value.([]any); isList && g.option.Keys[0] != "" && fresh[path] {
			before, _ := lookup(source, path).([]any)
			put(source, path, slices.Concat(before, list))
			continue
		}
		fresh[path] = true
		put(source, path, g.value)
	}
	return nil
}

var article = map[render.Kind]string{render.KindHelm: "a Helm chart", render.KindKustomize: "a kustomization",
	render.KindPlain: "a folder of manifests"}

// path returns the field of the option for a kind of source.
func (o Option) path(kind render.Kind) (string, bool) {
	if o.Own {
		return o.Paths[0], true
	}
	for _, p := range o.Paths {
		if strings.HasPrefix(p, prefixes[kind]) {
			return p, true
		}
	}
	return "", false
}

var prefixes = map[render.Kind]string{render.KindHelm: helmPath, render.KindKustomize: kustomizePath,
	render.KindPlain: directoryPath}

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
