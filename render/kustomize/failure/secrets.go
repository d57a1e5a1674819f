package failure

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
)

// Secrets are what an error must not show: all that may have become the value of a Secret in a build.
// They are collected only when there is an error to print.
type Secrets struct{ values map[string]struct{} }

// NewSecrets returns an empty collection.
func NewSecrets() Secrets { return Secrets{map[string]struct{}{}} }

// AddText adds the values of the Secrets in a text of resources.
func (s Secrets) AddText(text string) {
	if !strings.Contains(text, "Secret") {
		return
	}
	rs, err := provider.NewDepProvider().GetResourceFactory().SliceFromBytes([]byte(text))
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
				s.AddLiterals(g.LiteralSources)
			}
		}
	}
}

// addSecret adds every scalar under data and stringData, however wrong their form.
func (s Secrets) addSecret(r *resource.Resource) {
	for _, field := range []string{"data", "stringData"} {
		if n := r.Field(field); n != nil {
			s.addNode(n.Value.YNode())
		}
	}
}

func (s Secrets) addNode(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		s.Add(n.Value)
		if plain, err := base64.StdEncoding.DecodeString(n.Value); err == nil {
			s.Add(string(plain))
		}
	}
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 { // keys are no secrets
			s.addNode(c)
		}
	}
}

// AddLiterals adds the values of KEY=VALUE, and the whole where there is no key.
func (s Secrets) AddLiterals(lines []string) {
	for _, l := range lines {
		key, value, found := strings.Cut(l, "=")
		if !found || strings.TrimSpace(key) == "" {
			value = l
		}
		s.Add(strings.Trim(value, `"'`))
	}
}

// Add adds one value.
func (s Secrets) Add(value string) {
	if value = strings.TrimSpace(value); value != "" {
		s.values[value] = struct{}{}
	}
}

// Mask replaces every value, also where it is quoted. A short one is replaced where it is a whole word.
func (s Secrets) Mask(text string) string {
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
			continue // too short for a secret, and part of every word
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
