package lint

import (
	"bytes"
	"encoding/base64"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
)

// contents are what the ConfigMaps and Secrets of a file hold, by kind and name: "ConfigMap rollstamp-policy".
type contents map[string]*content

// content is a ConfigMap or Secret.
type content struct {
	texts  map[string]embedded // by keys
	isOpen bool                // it may have keys that are not in the file
}

// embedded is the text of a key.
type embedded struct {
	text string
	file string // that has it; "" where the text is not read
	line int    // of the file, before the text's first
	// a Secret's, of which nothing is shown; only files of YAML are read of one
	isSecret bool
}

// contentsOf returns the ConfigMaps and Secrets that are objects of a text, or made by generators of a kustomization or
// by the chart argo-cd. What cannot be read has none.
func (c *checker) contentsOf(text []byte) contents {
	all := contents{}
	if !bytes.Contains(text, []byte(program)) && !bytes.Contains(text, []byte(pluginServer)) {
		return all // nothing refers to one
	}
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if dec.Decode(&doc) != nil {
			return all
		}
		if len(doc.Content) > 0 {
			c.collect(all, doc.Content[0])
		}
	}
}

func (c *checker) collect(all contents, root *yaml.Node) {
	name := get(root, "metadata", "name").Value
	switch kind := get(root, "kind").Value; kind {
	case "List":
		for _, item := range items(get(root, "items")) {
			c.collect(all, item)
		}
	case "ConfigMap":
		one := all.of(kind, name)
		c.addTexts(one, get(root, "data"))
		one.addNames(get(root, "binaryData"))
	case "Secret":
		c.addSecrets(all.of(kind, name), root)
	}
	if c.isKustomization(root) {
		c.collectGenerated(all, root)
	}
	for _, values := range c.chartValuesIn(root) {
		c.collectChart(all, values)
	}
}

// collectGenerated adds what the generators of a kustomization make.
func (c *checker) collectGenerated(all contents, root *yaml.Node) {
	for _, g := range items(get(root, "configMapGenerator")) {
		c.generated(all.of("ConfigMap", get(g, "name").Value), g, false)
	}
	for _, g := range items(get(root, "secretGenerator")) {
		c.generated(all.of("Secret", get(g, "name").Value), g, true)
	}
}

// collectChart adds what the chart argo-cd makes of its values.
func (c *checker) collectChart(all contents, values *yaml.Node) {
	for _, extra := range items(get(values, "extraObjects")) {
		c.collect(all, extra)
	}
	if plugins := get(values, "configs", "cmp", "plugins"); plugins != absent {
		one := all.of("ConfigMap", chartPlugins)
		one.isOpen = true // other files with values may have more
		for i := 0; i+1 < len(plugins.Content); i += 2 {
			one.texts[plugins.Content[i].Value+".yaml"] = embedded{}
		}
	}
}

// chartPlugins is the ConfigMap that the chart argo-cd makes of configs.cmp.plugins.
const chartPlugins = "argocd-cmp-cm"

func (all contents) of(kind, name string) *content {
	if all[kind+" "+name] == nil {
		all[kind+" "+name] = &content{texts: map[string]embedded{}}
	}
	return all[kind+" "+name]
}

// addTexts adds the entries of a mapping.
func (c *checker) addTexts(one *content, data *yaml.Node) {
	for i := 0; i+1 < len(data.Content); i += 2 {
		n := resolve(data.Content[i+1])
		one.texts[data.Content[i].Value] = embedded{text: n.Value, file: c.file, line: lineBefore(n)}
	}
}

// addNames adds the keys of a mapping without what they hold.
func (one *content) addNames(data *yaml.Node) {
	for i := 0; i+1 < len(data.Content); i += 2 {
		one.texts[data.Content[i].Value] = embedded{}
	}
}

// addSecrets adds the entries of a Secret.
func (c *checker) addSecrets(one *content, root *yaml.Node) {
	for _, field := range []string{"data", "stringData"} {
		data := get(root, field)
		one.addNames(data)
		for i := 0; i+1 < len(data.Content); i += 2 {
			key, n := data.Content[i].Value, resolve(data.Content[i+1])
			text, line := n.Value, lineBefore(n)
			if field == "data" {
				text, line = decode64(text), n.Line-1
			}
			if text != "" && isYAML(key) && !has(root, "sops") {
				one.texts[key] = embedded{text: text, file: c.file, line: line, isSecret: true}
			}
		}
	}
}

// decode64 returns what a text is the base64 of; "" where it is none.
func decode64(text string) string {
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return ""
	}
	return string(plain)
}

// generated adds what a generator of a kustomization makes.
func (c *checker) generated(one *content, g *yaml.Node, isSecret bool) {
	behavior := get(g, "behavior").Value
	one.isOpen = one.isOpen || behavior == "merge" || behavior == "replace" || has(g, "env") || has(g, "envs")
	for _, n := range items(get(g, "literals")) {
		key, text, _ := strings.Cut(n.Value, "=")
		one.texts[key] = embedded{}
		if !isSecret || isYAML(key) {
			one.texts[key] = embedded{text: text, file: c.file, line: lineBefore(n), isSecret: isSecret}
		}
	}
	for _, n := range items(get(g, "files")) {
		key, file, isNamed := strings.Cut(n.Value, "=")
		if !isNamed {
			key, file = path.Base(n.Value), n.Value
		}
		one.texts[key] = embedded{}
		if isSecret && !isYAML(key) || c.rules.Read == nil {
			continue
		}
		if text, shown, err := c.rules.Read(file); err == nil {
			one.texts[key] = embedded{text: string(text), file: shown, isSecret: isSecret}
		}
	}
}

// lineBefore returns the line before the first one of a text.
func lineBefore(n *yaml.Node) int {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Line // the text begins on the line after the indicator
	}
	return n.Line - 1
}

// near returns the name of a ConfigMap or Secret of the file that another name may be a misspelling of, or "".
func (all contents) near(kind, name string) string {
	var names []string
	for at := range all {
		if known, is := strings.CutPrefix(at, kind+" "); is {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	return nearly(name, names)
}

// missing returns why a key is not in a ConfigMap or Secret, or "" where it is, or may be.
func (one *content) missing(kind, name, key string) string {
	if _, is := one.texts[key]; is {
		return ""
	}
	near := nearly(key, slices.Sorted(maps.Keys(one.texts)))
	if one.isOpen && near == "" || isFilledIn(key) {
		return ""
	}
	return kind + " " + name + " has no key " + key + didYouMean(near)
}

// didYouMean returns the end of a message that names another word, "" where there is none.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// nearly returns the one of some words that another may be a misspelling of, or "": one letter of a short word may
// differ, two of a longer one.
func nearly(word string, all []string) string {
	if slices.Contains(all, word) || isFilledIn(word) {
		return ""
	}
	const short = 6
	letters := 3
	if len(word) < short {
		letters = 2
	}
	return config.Nearest(word, all, letters)
}
