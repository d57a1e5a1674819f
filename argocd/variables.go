package argocd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// ourPrefix begins the variables of plugin.env that set options.
const ourPrefix = config.PluginEnvPrefix + "ROLLSTAMP_"

// variables returns the settings in plugin.env.
func variables(env Env) ([]setting, error) {
	var out []setting
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, ourPrefix) {
			continue
		}
		from := strings.TrimPrefix(name, config.PluginEnvPrefix)
		o, err := optionOfVariable(from)
		if err != nil {
			return nil, err
		}
		value, err := o.fromText(env[name])
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("variable %s: %w", from, err),
				"The types of all options are in docs/argocd.md.")
		}
		out = append(out, setting{o, "", value, "variable " + from})
	}
	return out, nil
}

// optionOfVariable returns the option that a variable of plugin.env sets, by its name there.
func optionOfVariable(from string) (Option, error) {
	var names []string
	for _, o := range Options() {
		own := strings.TrimPrefix(o.variable(), config.PluginEnvPrefix)
		switch {
		case own != from:
			names = append(names, own)
		case o.NoEnv:
			return o, diag.Usage(fmt.Errorf("variable %s: Argo CD expands dollars in plugin.env, so this option "+
				"is none of them", from), "Pass it as the parameter "+o.Name+".")
		default:
			return o, nil
		}
	}
	if slices.ContainsFunc(config.Vars(), func(v config.Var) bool { return v.Name == from }) {
		return Option{}, diag.Usage(fmt.Errorf("variable %s: the Application sets it with plugin.env, where it "+
			"permits and changes nothing", from),
			"Take it out there. It is the operator's, for the environment of the sidecar's own container.")
	}
	return Option{}, diag.Usage(fmt.Errorf("variable %s: there is no such option%s", from,
		config.SuggestBehind("ROLLSTAMP_", from, names)), "The names of all options are in docs/argocd.md.")
}

// variable returns the name of the option's variable: ARGOCD_ENV_ROLLSTAMP_VALUE_FILES for valueFiles.
func (o Option) variable() string {
	var out strings.Builder
	out.WriteString(ourPrefix)
	for i, r := range o.Name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteString(strings.ToUpper(string(r)))
	}
	return out.String()
}

// fromText converts a variable's text: lists and maps are YAML, and a list of one item may be that item.
func (o Option) fromText(text string) (any, error) {
	switch o.Collection {
	case Array:
		var items []string
		if trimmed := strings.TrimSpace(text); trimmed != "" && !strings.HasPrefix(trimmed, "[") &&
			!strings.HasPrefix(trimmed, "- ") {
			items = []string{trimmed}
		} else if all, ok := textsIn(text, yaml.SequenceNode); ok {
			items = all
		} else {
			return nil, errors.New("want a list of strings, in YAML or JSON")
		}
		return o.array(items)
	case Map:
		all, ok := textsIn(text, yaml.MappingNode)
		items := make(map[string]string, len(all)/2)
		for i := 0; i+1 < len(all); i += 2 {
			items[all[i]] = all[i+1]
		}
		if !ok || len(items) < len(all)/2 {
			return nil, errors.New("want a map of strings, in YAML or JSON")
		}
		return o.entries(items)
	}
	return o.item(text)
}

// textsIn returns the scalars of a list, or of a map key by key, as they are written: 1.10 stays that, and is no
// number.
func textsIn(text string, kind yaml.Kind) (out []string, ok bool) {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil, false
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, true
	}
	if doc.Content[0].Kind != kind {
		return nil, false
	}
	for _, n := range doc.Content[0].Content {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != yaml.ScalarNode {
			return nil, false
		}
		if n.ShortTag() == "!!null" {
			out = append(out, "")
			continue
		}
		out = append(out, n.Value)
	}
	return out, true
}
