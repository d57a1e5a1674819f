package rounds

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/flux/release"
)

// Naming is app.Namer's.
func (s *Source) Naming(o app.Object, file string) (out []string) {
	for name, m := range s.named {
		switch {
		case m.release != nil:
			if (o.Namespace == "" || o.Namespace == m.namespace()) && s.mentioned(m)[o.Name] {
				out = append(out, name)
			}
		case m.kustomization != nil && m.err != nil && m.folder != "":
			in, is := s.failed.of(m, s.finder.system())[o.Name]
			if is && (in == "" || in != absolute(file)) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// mentioned returns all that may be a name in the values of a release and in its patches.
func (s *Source) mentioned(m *member) map[string]bool {
	if all := s.mentions[m]; all != nil {
		return all
	}
	spec, _ := m.Fields()["spec"].(map[string]any)
	all := map[string]bool{}
	name := release.Name(m.release)
	replacer := strings.NewReplacer("{{ .Release.Name }}", name, "{{.Release.Name}}", name)
	addNames(all, replacer, "values", spec["values"])
	addNames(all, replacer, "postRenderers", spec["postRenderers"])
	s.mentions[m] = all
	return all
}

// addNames adds all that may be a name in the texts of a value of a field.
func addNames(all map[string]bool, replacer *strings.Replacer, field string, value any) {
	switch v := value.(type) {
	case string:
		text := replacer.Replace(v)
		if isWord(text) {
			all[text] = all[text] || mayRefer(field)
			return
		}
		mentions(text, func(name string) { all[name] = true })
	case []any:
		for _, item := range v {
			addNames(all, replacer, field, item)
		}
	case map[string]any:
		for key, inner := range v {
			if holdsLabels(field) {
				key = field
			}
			if text, is := inner.(string); is && isVariables(field) && isWord(replacer.Replace(text)) {
				continue // a container's variable, and no reference
			}
			addNames(all, replacer, key, inner)
		}
	}
}

// isVariables reports whether a field holds variables of a container.
func isVariables(field string) bool { return field == "env" || field == "environment" }
