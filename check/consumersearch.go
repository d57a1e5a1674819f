package check

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// consumerSearch is one walk through an object of a kind without a row, for what a rule for the kind has to say.
type consumerSearch struct {
	names       func(kind, name string) bool // whether the render has the object
	podSpec     config.Path
	template    config.Path
	annotations config.Path
	references  []config.ReferenceRule
}

// rule returns the rule that describes what was found.
func (s *consumerSearch) rule(o manifest.Object) config.KindRule {
	rule := config.KindRule{Group: strings.Clone(o.Group()), Kind: config.NonEmpty(strings.Clone(o.Kind)),
		Template: s.template, PodSpec: s.podSpec, Annotations: s.annotations, References: s.references}
	if !s.template.IsZero() {
		rule.Annotations = s.template.Field("metadata").Field("annotations")
	}
	if rule.Annotations.IsZero() {
		rule.Stamp = new(bool)
	}
	return rule
}

func (s *consumerSearch) walk(n manifest.Node, at config.Path) {
	for item := range n.Items() {
		s.walk(item, items(at))
	}
	if n.Get("apiVersion").Valid() && n.Get("kind").Valid() {
		return // an object in the object
	}
	if s.podSpec.IsZero() && holdsContainers(n) {
		s.setPodSpec(at)
		return
	}
	for k, v := range n.Entries() {
		key := strings.Clone(k.Field())
		if !config.CanHold(key) {
			continue // no path leads there
		}
		below := at.Field(key)
		if at.IsZero() && below.String() != key {
			continue // nor does one begin with brackets
		}
		switch {
		case key == "podAnnotations" && s.annotations.IsZero():
			s.annotations = below
		case key == "podMetadata" && s.annotations.IsZero():
			s.annotations = below.Field("annotations")
		}
		if !s.field(key, v, below) {
			s.walk(v, below)
		}
	}
}

// field records what a field names by its key: objects of the kind that the key has, or of either where it reads like a
// reference to credentials or configuration. It reports whether there is any.
func (s *consumerSearch) field(key string, n manifest.Node, at config.Path) bool {
	if kind := kindNamedBy(key); kind != "" {
		return s.reference(n, at, kind)
	}
	return isReference(key) && !isOfOtherKind(n) && (s.reference(n, at, refs.Secret) || s.reference(n, at, refs.ConfigMap))
}

// referred are words of fields that end in Ref and name a ConfigMap or Secret, without saying which.
var referred = []string{"password", "credential", "secret", "token", "key", "cert", "tls", "auth", "config"}

// isReference reports whether a field reads like one that names what holds credentials or configuration.
func isReference(key string) bool {
	word, ok := strings.CutSuffix(key, "Ref")
	if word = strings.ToLower(word); !ok || strings.Contains(word, "pullsecret") {
		return false
	}
	return slices.ContainsFunc(referred, func(part string) bool { return strings.Contains(word, part) })
}

// isOfOtherKind reports whether a reference says itself that it is to another kind of object.
func isOfOtherKind(n manifest.Node) bool {
	kind := n.Get("kind").StringValue()
	return kind != "" && kind != refs.Secret && kind != refs.ConfigMap
}

// items returns the path of the items of the list at a path.
func items(at config.Path) config.Path {
	p, err := config.ParsePath(at.String() + "[*]")
	if err != nil {
		return at // fields were looked at
	}
	return p
}

// setPodSpec records the place of a pod spec, with its template where it seems to be in one.
func (s *consumerSearch) setPodSpec(at config.Path) {
	s.podSpec = at
	steps := at.Steps()
	template, isSpec := strings.CutSuffix(at.String(), ".spec")
	if !isSpec || len(steps) < 2 {
		return
	}
	if p, err := config.ParsePath(template); err == nil {
		s.template = p
	}
}

// holdsContainers reports whether a mapping reads like a pod spec.
func holdsContainers(n manifest.Node) bool {
	list := n.Get("containers")
	if !list.IsSeq() || list.Len() == 0 {
		return false
	}
	for item := range list.Items() {
		if item.Get("image").IsScalar() || item.Get("env").IsSeq() || item.Get("envFrom").IsSeq() {
			return true
		}
	}
	return false
}

// kindNamedBy returns the kind of what a field usually names that pods read.
func kindNamedBy(key string) config.ContentKind {
	if strings.Contains(strings.ToLower(key), "pullsecret") {
		return ""
	}
	return config.ContentKind(refs.KindNamedBy(key))
}

// reference records a field that names an object of the render: by a text, by the name in a mapping, or in a list of
// either. It reports whether the field is one.
func (s *consumerSearch) reference(n manifest.Node, at config.Path, kind config.ContentKind) (found bool) {
	switch {
	case n.IsSeq():
		for item := range n.Items() {
			found = s.reference(item, items(at), kind) || found
		}
	case n.IsMap():
		for _, field := range []string{"name", "secretName"} {
			if !s.names(string(kind), n.Get(field).StringValue()) {
				continue
			}
			r := config.ReferenceRule{Path: at, Kind: kind, Name: config.Path{}.Field(field)}
			if n.Get("key").StringValue() != "" {
				r.Key = config.Path{}.Field("key")
			}
			s.add(r)
			found = true
		}
	case s.names(string(kind), n.StringValue()):
		s.add(config.ReferenceRule{Path: at, Kind: kind})
		found = true
	}
	return found
}

func (s *consumerSearch) add(r config.ReferenceRule) {
	for _, have := range s.references {
		if sameReference(have, r) {
			return
		}
	}
	s.references = append(s.references, r)
}

// printRule writes a rule as YAML on one line.
func printRule(rule config.KindRule) string {
	fields := []string{"group: " + rule.Group, "kind: " + string(rule.Kind)}
	add := func(name string, p config.Path) {
		if !p.IsZero() {
			fields = append(fields, name+": "+quoted(p))
		}
	}
	if add("template", rule.Template); rule.Template.IsZero() {
		add("podSpec", rule.PodSpec)
		add("annotations", rule.Annotations)
	}
	if !rule.IsStamped() {
		fields = append(fields, "stamp: false")
	}
	var references []string
	for _, r := range rule.References {
		text := "{path: " + quoted(r.Path) + ", kind: " + string(r.Kind)
		switch {
		case r.Name.IsZero():
		case r.Name.String() != "name":
			text += ", name: " + r.Name.String()
		}
		if !r.Key.IsZero() {
			text += ", key: " + r.Key.String()
		}
		references = append(references, text+"}")
	}
	if len(references) > 0 {
		fields = append(fields, "references: ["+strings.Join(references, ", ")+"]")
	}
	return "kinds: [{" + strings.Join(fields, ", ") + "}]"
}

// quoted writes a path so that it can be in a list of YAML.
func quoted(p config.Path) string {
	if strings.ContainsAny(p.String(), "[]*,:#") {
		return `"` + strings.ReplaceAll(p.String(), `\`, `\\`) + `"`
	}
	return p.String()
}
