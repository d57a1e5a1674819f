package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
)

// options are those of one native source, to be converted to parameters.
type options struct {
	kind   string     // helm, kustomize or directory; "" if the source names none
	native *yaml.Node // the value of that field; nil if it has none
	plugin string
	refs   []substitute
	helm   config.HelmVersion // that renders the source, where it is a chart; 0 where that is not known
	inSet  bool               // an ApplicationSet's controller fills in the texts of what is written
}

// optionError is why an option cannot be converted.
type optionError struct {
	key *yaml.Node // of the option; nil where its text is not known
	err error
}

// Error returns the cause.
func (e *optionError) Error() string { return e.err.Error() }

// convert returns spec.source.plugin, and the names of its parameters.
func (o options) convert() (plugin *yaml.Node, names []string, err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	left := fields("", o.native)
	for _, option := range argocd.Options() {
		for _, path := range option.Paths {
			rest, ok := strings.CutPrefix(path, o.kind+".")
			if !ok || o.kind == "" || option.Own {
				continue
			}
			key, value := at(o.native, strings.Split(rest, "."))
			if value == nil {
				continue
			}
			delete(left, rest)
			if option.Name == versionOption && (o.helm != 0 || o.kind == "helm" && !namesHelm(value)) {
				continue // Argo CD reads no version of an Application
			}
			converted, err := parameter(option, value)
			if option.Name == "valuesObject" && isEmptyMapping(value) && o.hasValues() {
				converted = text("{}") // Argo CD reads no values beside it, empty or not
			}
			if err == nil && o.inSet && option.Item == argocd.YAML && isFilledIn(converted) {
				err = errFilledIn
			}
			if err != nil {
				return nil, nil, &optionError{key, fmt.Errorf("%s: %w", path, err)}
			}
			if converted == nil {
				continue
			}
			list.Content = append(list.Content, parameterItem(option, converted, key))
			names = append(names, option.Name)
		}
	}
	if len(left) > 0 {
		unknown := sortedKeys(left)
		key, _ := at(o.native, strings.Split(unknown[0], "."))
		return nil, nil, &optionError{key, fmt.Errorf("%s has options that rollstamp does not know: %s", o.kind,
			strings.Join(unknown, ", "))}
	}
	if o.helm == config.Helm4 {
		version := argocd.Option{Name: versionOption, Collection: argocd.String}
		list.Content = append(list.Content, parameterItem(version, text("4"), nil))
		names = append(names, versionOption)
	}
	if len(o.refs) > 0 {
		refs := &yaml.Node{Kind: yaml.MappingNode}
		for _, r := range o.refs {
			refs.Content = append(refs.Content, word(r.name), text(r.place))
		}
		list.Content = append(list.Content, parameterItem(argocd.Option{Name: "refs", Collection: argocd.Map}, refs, nil))
		names = append(names, "refs")
	}
	plugin = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word("name"), word(o.plugin)}}
	if len(list.Content) > 0 {
		plugin.Content = append(plugin.Content, word("parameters"), list)
	}
	return plugin, names, nil
}

// hasValues reports whether the source has values as a text.
func (o options) hasValues() bool {
	_, values := at(o.native, []string{"values"})
	return values != nil
}

// errFilledIn is why a tree of a template stays native. A controller fills in each text of a tree by itself, so that
// any value is one; in a tree that is written as a text, quotes and line breaks of a value are read as YAML.
var errFilledIn = errors.New("is filled in by the ApplicationSet, and a parameter has it as one text, in which " +
	"quotes and line breaks of what is filled in would be read as YAML")

// isFilledIn reports whether actions of a template are in texts of a tree.
func isFilledIn(n *yaml.Node) bool {
	return n != nil && (strings.Contains(n.Value, "{{") || slices.ContainsFunc(n.Content, isFilledIn))
}

// versionOption is the option that names the Helm.
const versionOption = "version"

// namesHelm reports whether a version is one that the plugin takes.
func namesHelm(version *yaml.Node) bool {
	_, err := config.ParseHelmVersion(version.Value)
	return version.Kind != yaml.ScalarNode || err == nil
}

// check finds what should be a mapping of options and is something else, all of which would be lost.
func (o options) check() error {
	_, jsonnet := at(o.native, []string{"jsonnet"})
	for path, n := range map[string]*yaml.Node{o.kind: o.native, o.kind + ".jsonnet": jsonnet} {
		if n != nil && n.Kind != yaml.MappingNode && n.ShortTag() != "!!null" {
			return errors.New(path + ": is not a mapping")
		}
	}
	return nil
}

// fields lists the fields that are set, those of jsonnet by their path.
func fields(prefix string, n *yaml.Node) map[string]bool {
	out := map[string]bool{}
	if n == nil || n.Kind != yaml.MappingNode {
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := prefix + n.Content[i].Value
		if name == "jsonnet" {
			for inner := range fields("jsonnet.", n.Content[i+1]) {
				out[inner] = true
			}
			continue
		}
		out[name] = true
	}
	return out
}

func sortedKeys(set map[string]bool) []string {
	var out []string
	for name := range set {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// at returns a field.
func at(n *yaml.Node, path []string) (key, value *yaml.Node) {
	for _, name := range path {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil, nil
		}
		next := (*yaml.Node)(nil)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				key, next = n.Content[i], n.Content[i+1]
			}
		}
		if n = next; n == nil {
			return nil, nil
		}
	}
	return key, n
}

// parameterItem returns an item of plugin.parameters, with the comments on the field.
func parameterItem(o argocd.Option, value, key *yaml.Node) *yaml.Node {
	item := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word("name"), word(o.Name),
		word(string(o.Collection)), value}}
	if key != nil {
		item.HeadComment = key.HeadComment
		if key.LineComment != "" {
			item.Content[1].LineComment = key.LineComment
		}
	}
	return item
}

// parameter returns the value of a parameter, nil for an option without effect.
func parameter(o argocd.Option, value *yaml.Node) (*yaml.Node, error) {
	if value.Tag == "!!null" || len(value.Content) == 0 && value.Kind != yaml.ScalarNode {
		return nil, nil
	}
	switch o.Collection {
	case argocd.String:
		return single(o, value)
	case argocd.Array:
		return array(o, value)
	}
	return mapping(o, value)
}

func single(o argocd.Option, value *yaml.Node) (*yaml.Node, error) {
	switch {
	case o.Item == argocd.YAML:
		return embed(value)
	case value.Kind != yaml.ScalarNode:
		return nil, errors.New("is not a text")
	case o.Item == argocd.Boolean && !isBoolean(value):
		return nil, errors.New("is a text: write true or false, without quotes")
	case o.Item == argocd.Boolean && !isTrue(value), value.Value == "":
		return nil, nil
	case o.Item == argocd.Boolean:
		return quoteLike("true", value), nil
	}
	return asText(value), nil
}

func array(o argocd.Option, value *yaml.Node) (*yaml.Node, error) {
	if value.Kind != yaml.SequenceNode {
		return nil, errors.New("is not a list")
	}
	out := &yaml.Node{Kind: yaml.SequenceNode, Style: value.Style}
	for _, item := range value.Content {
		var converted *yaml.Node
		var err error
		switch {
		case o.Item == argocd.YAML:
			out.Style = 0
			if converted, err = embed(item); err != nil {
				return nil, err
			}
		case item.Kind != yaml.ScalarNode:
			return nil, errors.New("holds an item that is not a text")
		default:
			converted = asText(item)
		}
		out.Content = append(out.Content, converted)
	}
	return out, nil
}

// mapping returns a mapping as it is, or converts a list of names and values to one.
func mapping(o argocd.Option, value *yaml.Node) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.MappingNode}
	if o.Keys == [2]string{} {
		if value.Kind != yaml.MappingNode {
			return nil, errors.New("is not a mapping")
		}
		for i := 0; i+1 < len(value.Content); i += 2 {
			if value.Content[i+1].Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("holds %s, which is not a text", value.Content[i].Value)
			}
			out.Content = append(out.Content, value.Content[i], asText(value.Content[i+1]))
		}
		return out, nil
	}
	if value.Kind != yaml.SequenceNode {
		return nil, errors.New("is not a list")
	}
	seen := map[string]bool{}
	for _, item := range value.Content {
		_, name := at(item, []string{o.Keys[0]})
		_, what := at(item, []string{o.Keys[1]})
		if name == nil {
			return nil, fmt.Errorf("holds an item without %s", o.Keys[0])
		}
		if overlaps(seen, name.Value) {
			return nil, fmt.Errorf("sets %s twice or in parts, and a parameter keeps no order", name.Value)
		}
		seen[name.Value] = true
		if hasFlag(item) != (o.Flag != "") {
			continue
		}
		key := word(name.Value)
		key.HeadComment = strings.TrimSpace(item.HeadComment)
		if what == nil {
			what = text("")
		}
		if what.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("holds %s, which is not a text", name.Value)
		}
		out.Content = append(out.Content, key, asText(what))
	}
	if len(out.Content) == 0 {
		return nil, nil
	}
	return out, nil
}

// hasFlag reports whether an item has one of the flags that turn it into another option.
func hasFlag(item *yaml.Node) bool {
	for _, name := range []string{"forceString", "code"} {
		if _, v := at(item, []string{name}); v != nil && isTrue(v) {
			return true
		}
	}
	return false
}

// overlaps reports whether a value is set at, above or below the path of another.
func overlaps(seen map[string]bool, name string) bool {
	for other := range seen {
		if other == name || within(other, name) || within(name, other) {
			return true
		}
	}
	return false
}

// within reports whether a path of values is below another.
func within(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}
