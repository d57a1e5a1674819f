package argocd

import (
	"cmp"
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

// fromText converts a variable's text: lists and maps are YAML, and a list of one item may be that item. This library
// takes numbers and truth values for texts as they are written: 1.10 stays that.
func (o Option) fromText(text string) (any, error) {
	switch o.Collection {
	case Array:
		if trimmed := strings.TrimSpace(text); trimmed != "" && !strings.HasPrefix(trimmed, "[") &&
			!strings.HasPrefix(trimmed, "- ") {
			return o.array([]string{trimmed})
		}
		var written []*string // nil for null, which the library leaves out of a list of strings
		if yaml.Unmarshal([]byte(text), &written) != nil {
			return nil, errors.New("want a list of strings, in YAML or JSON")
		}
		items := make([]string, len(written))
		for i, one := range written {
			items[i] = *cmp.Or(one, new(string))
		}
		return o.array(items)
	case Map:
		var items map[string]string
		if yaml.Unmarshal([]byte(text), &items) != nil {
			return nil, errors.New("want a map of strings, in YAML or JSON")
		}
		return o.entries(items)
	}
	return o.item(text)
}
