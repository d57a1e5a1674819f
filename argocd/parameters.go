package argocd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// tree is a part of an Application as JSON.
type tree = map[string]any

// parameter is one of those that ARGOCD_APP_PARAMETERS lists.
type parameter struct {
	Name   string             `json:"name"`
	String *string            `json:"string"`
	Array  *[]string          `json:"array"`
	Map    *map[string]string `json:"map"`
}

const (
	parametersVar = "ARGOCD_APP_PARAMETERS"
	// ourPrefix begins the variables of plugin.env that are options.
	ourPrefix = config.PluginEnvPrefix + "ROLLSTAMP_"
	fileHint  = "An option that is longer than a variable may be (128 KiB) has a place in " + config.FileName + ", under argocd."
)

// given is an option with what was said of it.
type given struct {
	option Option
	key    string // of the one entry of a map that it is; "" where it is the whole option
	value  any    // as JSON at the option's path
	from   string // what said it, for errors
}

// parameters reads ARGOCD_APP_PARAMETERS.
func parameters(text string) ([]given, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all []parameter
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&all); err != nil {
		return nil, diag.Usage(errors.New("read "+parametersVar+": not the list of parameters that Argo CD writes"), fileHint)
	}
	var out, entries []given
	seen := map[string]bool{}
	for _, p := range all {
		from := "parameter " + p.Name
		if seen[p.Name] {
			return nil, diag.Usage(fmt.Errorf("%s: is given twice", from), "Keep one of the two in spec.source.plugin.parameters.")
		}
		seen[p.Name] = true
		g, err := p.given(from)
		if err != nil {
			return nil, err
		}
		if g.key == "" {
			out = append(out, g)
		} else {
			entries = append(entries, g)
		}
	}
	return append(out, entries...), nil // an entry counts before the same one of its map
}

// given finds out what a parameter says.
func (p parameter) given(from string) (given, error) {
	var value any
	option, key, isEntry := entryOf(p.Name)
	var err error
	if isEntry {
		value, err = p.entry(option, key)
	} else {
		if option, err = find(p.Name, from); err != nil {
			return given{}, err
		}
		value, err = p.value(option)
	}
	if err != nil {
		return given{}, diag.Usage(fmt.Errorf("%s: %w", from, err), "The types of all parameters are in docs/argocd.md.")
	}
	return given{option, key, value, from}, nil
}

func find(name, from string) (Option, error) {
	var names []string
	for _, o := range Options() {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Option{}, diag.Usage(fmt.Errorf("%s: there is no such option%s", from, config.Suggest(name, names)), "The names of all options are in docs/argocd.md.")
}

// collection tells which shapes the value has: one, as Argo CD has it.
func (p parameter) collection() []Collection {
	var out []Collection
	if p.String != nil {
		out = append(out, String)
	}
	if p.Array != nil {
		out = append(out, Array)
	}
	if p.Map != nil {
		out = append(out, Map)
	}
	return out
}

func (p parameter) value(o Option) (any, error) {
	have := p.collection()
	switch {
	case len(have) == 0:
		return nil, fmt.Errorf("has no value; want one of type %s", o.Collection)
	case len(have) > 1:
		return nil, fmt.Errorf("has values of several types; want one of type %s", o.Collection)
	case have[0] != o.Collection:
		return nil, fmt.Errorf("want a value of type %s, found one of type %s", o.Collection, have[0])
	}
	switch o.Collection {
	case String:
		return o.item(*p.String)
	case Array:
		return o.array(*p.Array)
	default:
		return o.entries(*p.Map)
	}
}

// item gives a text as JSON of the option's type.
func (o Option) item(text string) (any, error) {
	switch o.Item {
	case Boolean:
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("want true or false")
		}
		return yes, nil
	case YAML:
		var out tree
		if err := yaml.Unmarshal([]byte(text), &out); err != nil || out == nil && strings.TrimSpace(text) != "" {
			return nil, errors.New("want a mapping, in YAML or JSON") // the library's words quote the text
		}
		return out, nil
	}
	return text, nil
}

func (o Option) array(items []string) (any, error) {
	out := make([]any, len(items))
	for i, text := range items {
		value, err := o.item(text)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = value
	}
	return out, nil
}

// entries gives a map as Argo CD's own field has it: as a map, or as a list of names and values.
func (o Option) entries(items map[string]string) (any, error) {
	if o.Keys[0] == "" {
		out := tree{}
		for name, text := range items {
			out[name] = text
		}
		return out, nil
	}
	out := []any{}
	for _, name := range slices.Sorted(maps.Keys(items)) {
		entry := tree{o.Keys[0]: name, o.Keys[1]: items[name]}
		if o.Flag != "" {
			entry[o.Flag] = true
		}
		out = append(out, entry)
	}
	return out, nil
}

// variables reads the options among the variables of plugin.env.
func variables(env Env) ([]given, error) {
	byName := map[string]Option{}
	var names []string
	for _, o := range Options() {
		byName[o.variable()] = o
		names = append(names, strings.TrimPrefix(o.variable(), config.PluginEnvPrefix))
	}
	var out []given
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, ourPrefix) {
			continue
		}
		from := strings.TrimPrefix(name, config.PluginEnvPrefix)
		o, known := byName[name]
		switch {
		case !known:
			return nil, diag.Usage(fmt.Errorf("variable %s: there is no such option%s", from, config.Suggest(from, names)), "The names of all options are in docs/argocd.md.")
		case o.NoEnv:
			return nil, diag.Usage(fmt.Errorf("variable %s: Argo CD expands dollars in plugin.env, so this option is none of them", from), "Say it as the parameter "+o.Name+".")
		}
		value, err := o.fromText(env[name])
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("variable %s: %w", from, err), "The types of all options are in docs/argocd.md.")
		}
		out = append(out, given{o, "", value, "variable " + from})
	}
	return out, nil
}

// variable gives the name of the variable that holds the option: ARGOCD_ENV_ROLLSTAMP_VALUE_FILES for valueFiles.
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

// fromText reads an option out of a variable: lists and maps are YAML, and a list of one item may be that item.
func (o Option) fromText(text string) (any, error) {
	switch o.Collection {
	case Array:
		var items []string
		if trimmed := strings.TrimSpace(text); trimmed != "" && !strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "- ") {
			items = []string{trimmed}
		} else if yaml.Unmarshal([]byte(text), &items) != nil {
			return nil, errors.New("want a list of strings, in YAML or JSON")
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

// lay puts options over a source of one kind, whole. Those that stand for parts of the same field are joined. An option that the
// kind does not have is an error.
func lay(over tree, kind render.Kind, options []given) error {
	fresh := map[string]bool{}
	for _, g := range options {
		path, ok := g.option.path(kind)
		if !ok {
			return diag.Usage(fmt.Errorf("%s: the application is %s, which has no such option", g.from, article[kind]), "Remove it, or check the application's path.")
		}
		if g.key != "" {
			layEntry(over, path, g)
			continue
		}
		if list, isList := g.value.([]any); isList && g.option.Keys[0] != "" && fresh[path] {
			before, _ := lookup(over, path).([]any)
			put(over, path, slices.Concat(before, list))
			continue
		}
		fresh[path] = true
		put(over, path, g.value)
	}
	return nil
}

var article = map[render.Kind]string{render.KindHelm: "a Helm chart", render.KindKustomize: "a kustomization", render.KindPlain: "a folder of manifests"}

// path gives the field of the option for a kind of source.
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

var prefixes = map[render.Kind]string{render.KindHelm: helmPath, render.KindKustomize: kustomizePath, render.KindPlain: directoryPath}

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

// toTree and fromTree go between JSON's two forms.
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
