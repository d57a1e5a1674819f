package argocd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// CheckParameter returns the error with which a call is refused that has a parameter, as an item of
// spec.source.plugin.parameters in JSON; nil if it is taken.
func CheckParameter(item json.RawMessage) error {
	text, err := json.Marshal([]json.RawMessage{item})
	if err != nil {
		return diag.Usage(err, "")
	}
	all, err := parameters(string(text))
	if err == nil {
		err = checkSettings(all)
	}
	if err != nil {
		return err
	}
	for _, one := range all {
		value, _ := one.value.(string)
		if err := checkText(one.option.Name, value); err != nil {
			return diag.Usage(fmt.Errorf("%s: %w", one.from, err), typesHint)
		}
	}
	return nil
}

// checkText returns the error of a text that Helm refuses when it renders. No part of values is in it: they may be
// secret.
func checkText(option, text string) error {
	switch {
	case text == "":
	case option == "values":
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			return errors.New("the text is no YAML")
		}
		if len(n.Content) > 0 && n.Content[0].Kind != yaml.MappingNode && n.Content[0].ShortTag() != "!!null" {
			return errors.New("want a mapping")
		}
	case option == "releaseName" && len(validation.IsDNS1123Subdomain(text)) > 0:
		return fmt.Errorf("%q is no name of a release: want small letters, digits, dashes and dots", text)
	}
	return nil
}

// CheckValues returns the error of values in a native source that Helm refuses when it renders.
func (c *Call) CheckValues() error {
	h := c.Source.Helm
	if c.Kind != render.KindHelm || h == nil || len(h.ValuesObject) > 0 { // which counts instead
		return nil
	}
	if err := checkText("values", h.Values); err != nil {
		return diag.Input(diag.Position{}, fmt.Errorf("values: %w", err), "")
	}
	return nil
}

// CheckVariable is the same for a variable of plugin.env; one that is none of the plugin's is taken.
func CheckVariable(name, value string) error {
	all, err := variables(Env{config.PluginEnvPrefix + name: value})
	if err != nil {
		return err
	}
	return checkSettings(all)
}

// CheckVariableName is CheckVariable for a variable whose value is not known yet.
func CheckVariableName(name string) error {
	if !strings.HasPrefix(config.PluginEnvPrefix+name, ourPrefix) {
		return nil
	}
	_, err := optionOfVariable(name)
	return err
}

// KindsOf returns the kinds of sources that have an option, by the name of its parameter or of its variable in
// plugin.env; nil where every kind has it, or there is none of that name.
func KindsOf(name string) []render.Kind {
	option, _, isEntry := entryOf(name)
	if !isEntry {
		i := slices.IndexFunc(Options(), func(o Option) bool {
			return o.Name == name || o.variable() == config.PluginEnvPrefix+name
		})
		if i < 0 {
			return nil
		}
		option = Options()[i]
	}
	if option.Own {
		return nil
	}
	var out []render.Kind
	for _, kind := range []render.Kind{render.KindHelm, render.KindKustomize, render.KindPlain} {
		if _, ok := option.path(kind); ok {
			out = append(out, kind)
		}
	}
	return out
}

// KindName returns a kind of source as messages write it: a Helm chart.
func KindName(kind render.Kind) string { return article[kind] }
