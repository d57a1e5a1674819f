package kustomize

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
)

// secretValues are what must not stand in an error: all that may have become the value of a Secret in a build.
// They are collected only when there is an error to print.
type secretValues struct{ values map[string]struct{} }

// secrets collects them from every file read and every kustomization.
func (t *tree) secrets() secretValues {
	s := secretValues{make(map[string]struct{})}
	for file := range t.read {
		if b, err := t.at(file).ReadFile(file); err == nil {
			s.addText(string(b))
		}
	}
	for _, files := range []map[string][]byte{t.overlay.files, t.overlay.fetched} {
		for _, b := range files {
			s.addText(string(b))
		}
	}
	for _, k := range t.kusts {
		for _, g := range k.kust.SecretGenerator {
			s.addSources(t, k, g.KvPairSources)
		}
		for _, text := range k.inline() {
			s.addText(text)
		}
	}
	return s
}

// addText adds the values of the Secrets in a text of resources.
func (s secretValues) addText(text string) {
	if !strings.Contains(text, "Secret") {
		return
	}
	rs, err := parse([]byte(text))
	if err != nil {
		return
	}
	for _, r := range rs {
		switch r.GetKind() {
		case "Secret":
			s.addSecret(r)
		case "SecretGenerator":
			var g types.SecretArgs
			if b, err := r.AsYAML(); err == nil && k8syaml.Unmarshal(b, &g) == nil {
				s.addLiterals(g.LiteralSources)
			}
		}
	}
}

// addSecret adds every scalar under data and stringData, however wrong their form.
func (s secretValues) addSecret(r *resource.Resource) {
	for _, field := range []string{"data", "stringData"} {
		if n := r.Field(field); n != nil {
			s.addNode(n.Value.YNode())
		}
	}
}

func (s secretValues) addNode(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		s.add(n.Value)
		if plain, err := base64.StdEncoding.DecodeString(n.Value); err == nil {
			s.add(string(plain))
		}
	}
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 { // keys are no secrets
			s.addNode(c)
		}
	}
}

// addSources adds what a generator makes values of.
func (s secretValues) addSources(t *tree, k *kustomization, sources types.KvPairSources) {
	s.addLiterals(sources.LiteralSources)
	for _, file := range slices.Concat(sources.EnvSources, sourceFiles(sources.FileSources)) {
		b, err := t.ReadFile(k.dir + "/" + file)
		if err != nil {
			continue
		}
		s.add(string(b))
		s.addLiterals(strings.Split(string(b), "\n"))
	}
}

// addLiterals adds the values of KEY=VALUE, and the whole where there is no key.
func (s secretValues) addLiterals(lines []string) {
	for _, l := range lines {
		key, value, found := strings.Cut(l, "=")
		if !found || strings.TrimSpace(key) == "" {
			value = l
		}
		s.add(strings.Trim(value, `"'`))
	}
}

func (s secretValues) add(value string) {
	if value = strings.TrimSpace(value); value != "" {
		s.values[value] = struct{}{}
	}
}

// mask replaces every value, also where it is quoted. A short one is replaced where it is a word of its own.
func (s secretValues) mask(text string) string {
	var forms []string
	for v := range s.values {
		forms = append(forms, v, strings.Trim(strconv.Quote(v), `"`))
		if b, err := json.Marshal(v); err == nil {
			forms = append(forms, strings.Trim(string(b), `"`))
		}
	}
	// The longest first: a value may hold another.
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	for _, f := range slices.Compact(forms) {
		if len(f) < 3 {
			continue // nobody keeps these secret, and they are in every word
		}
		if len(f) >= 6 {
			text = strings.ReplaceAll(text, f, redact.Mask)
		} else if strings.Contains(text, f) {
			text = shortValue(f).ReplaceAllString(text, "${1}"+redact.Mask+"${2}")
		}
	}
	return text
}

func shortValue(v string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(v) + `($|[^\w./-])`)
}
