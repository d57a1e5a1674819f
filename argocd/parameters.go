package argocd

import (
	"cmp"
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
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// parameter is one item of ARGOCD_APP_PARAMETERS.
type parameter struct {
	Name   string             `json:"name"`
	String *string            `json:"string"`
	Array  *[]string          `json:"array"`
	Map    *map[string]string `json:"map"`
}

const (
	parametersVar = "ARGOCD_APP_PARAMETERS"
	typesHint     = "The types of all parameters are in docs/argocd.md."
	nearlyFull    = 100 << 10 // of a variable, whose maximum is 128 KiB
	listHint      = "It is a JSON list of {name: ..., string: ...}, with array or map instead of string."
	fileHint      = "An option that is longer than a variable may be (128 KiB) has a place in " + config.FileName +
		", under argocd."
)

// setting is an option with its value.
type setting struct {
	option Option
	key    string // of the map's entry that it sets; "" if it sets the whole option
	value  any    // as JSON at the option's path
	from   string // where it was set, for errors
}

// parameters decodes ARGOCD_APP_PARAMETERS: those that are taken, and the errors of the others.
func parameters(text string) ([]setting, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	all, err := decodeParameters(text)
	if err != nil {
		return nil, err
	}
	var out, entries []setting
	var errs []error
	seen := map[string]bool{}
	for i, p := range all {
		if err := p.checkName(i, len(all), seen); err != nil {
			errs = append(errs, err)
			continue
		}
		seen[p.Name] = true
		switch g, err := p.setting("parameter " + p.Name); {
		case err != nil:
			errs = append(errs, err)
		case g.key == "":
			out = append(out, g)
		default:
			entries = append(entries, g)
		}
	}
	return append(out, entries...), errors.Join(errs...) // an entry overrides the same entry of a whole map
}

// checkName returns the error of the name of one of several parameters.
func (p parameter) checkName(i, of int, seen map[string]bool) error {
	switch {
	case p.Name == "":
		return diag.Usage(fmt.Errorf("parameter %d of %d has no name", i+1, of),
			"Set one in spec.source.plugin.parameters; the names of all options are in docs/argocd.md.")
	case seen[p.Name]:
		return diag.Usage(fmt.Errorf("parameter %s: is given twice", p.Name),
			"Keep one of the two in spec.source.plugin.parameters.")
	}
	return nil
}

// decodeParameters decodes the items of ARGOCD_APP_PARAMETERS.
func decodeParameters(text string) ([]parameter, error) {
	var items []map[string]any
	err := json.Unmarshal([]byte(text), &items)
	isField := func(name string) bool { return slices.Contains([]string{"name", "string", "array", "map"}, name) }
	out := make([]parameter, len(items))
	for i, item := range items {
		for name := range item {
			if !isField(name) {
				err = errors.New(name)
			}
		}
		if err := typed.Decode(item, &out[i]); err != nil {
			return nil, diag.Usage(fmt.Errorf("parameter %s: %w", cmp.Or(out[i].Name, strconv.Itoa(i+1)), err), listHint)
		}
	}
	if err == nil {
		return out, nil
	}
	hint := listHint
	if len(text) > nearlyFull {
		hint = fileHint
	}
	return nil, diag.Usage(errors.New("read "+parametersVar+": not the list of parameters that Argo CD writes"), hint)
}

// setting decodes a parameter.
func (p parameter) setting(from string) (setting, error) {
	var value any
	option, key, isEntry := entryOf(p.Name)
	var err error
	if isEntry {
		value, err = p.entry(option, key)
	} else {
		if option, err = find(p.Name, from); err != nil {
			return setting{}, err
		}
		value, err = p.value(option)
	}
	if err != nil {
		return setting{}, diag.Usage(fmt.Errorf("%s: %w", from, err), typesHint)
	}
	s := setting{option, key, value, from}
	return s, s.checkTypes()
}

func find(name, from string) (Option, error) {
	var names []string
	for _, o := range Options() {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Option{}, diag.Usage(fmt.Errorf("%s: there is no such option%s", from, config.Suggest(name, names)),
		"The names of all options are in docs/argocd.md.")
}

// collection returns which shapes the value has; Argo CD sets one.
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

// item converts a text to JSON of the option's type.
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
			return nil, errors.New("want a mapping, in YAML or JSON") // the library's message quotes the text
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

// entries converts a map to the form of Argo CD's own field: a map, or a list of names and values.
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

// entryOf finds the option of which a parameter is one entry, by its name: parameters.image.tag is the entry image.tag
// of parameters. Argo CD's UI writes the whole of an announced map as soon as one entry is edited; if each entry is
// announced, it writes only what is edited.
func entryOf(name string) (o Option, key string, ok bool) {
	option, key, cut := strings.Cut(name, ".")
	if !cut || key == "" {
		return Option{}, "", false
	}
	for _, o := range Options() {
		if o.Name == option && o.Collection == Map {
			return o, key, true
		}
	}
	return Option{}, "", false
}

// entry returns the value of a parameter that is one entry of a map, as a map of that entry.
func (p parameter) entry(o Option, key string) (any, error) {
	if have := p.collection(); len(have) != 1 || have[0] != String {
		return nil, fmt.Errorf("want a value of type %s: it is one entry of %s", String, o.Name)
	}
	return o.entries(map[string]string{key: *p.String})
}
