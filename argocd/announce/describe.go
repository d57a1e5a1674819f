package announce

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
)

// schema is the part of a values schema that a form uses.
type schema struct {
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Required    json.RawMessage    `json:"required"`

	needed bool
}

func parseSchema(text []byte) (*schema, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var s schema
	if json.Unmarshal(text, &s) != nil {
		return nil, errors.New("parse JSON: no schema")
	}
	return &s, nil
}

// property returns the schema of a property; nil, a schema without content, if there is none.
func (s *schema) property(name string) *schema {
	if s == nil || s.Properties[name] == nil {
		return nil
	}
	below := *s.Properties[name]
	var required []string
	_ = json.Unmarshal(s.Required, &required) // older drafts have a boolean here, which does not concern the properties
	below.needed = slices.Contains(required, name)
	return &below
}

func (s *schema) title(otherwise string) string {
	if s == nil || s.Title == "" {
		return otherwise
	}
	return s.Title
}

func (s *schema) description() string {
	if s == nil {
		return ""
	}
	return s.Description
}

func (s *schema) isRequired() bool { return s != nil && s.needed }

var param = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*##+\s*@param\s+(\S+)\s+(?:\[[^\]\n]*\]\s*)?(.*)$`)
})

// paramLines reads the lines in which some charts describe their values: ## @param image.tag [default: x] The tag.
func paramLines(text string) map[string]string {
	out := map[string]string{}
	if !strings.Contains(text, "@param") {
		return out
	}
	for _, m := range param().FindAllStringSubmatch(text, -1) {
		out[m[1]] = strings.TrimSpace(m[2])
	}
	return out
}

// comment returns the description in a comment of a value: the text after "# -- ", if there is one, else its last
// paragraph. Paragraphs that are YAML themselves are values that somebody has commented out.
func comment(text string) string {
	var paragraph []string
	marked := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		rest, mark := strings.CutPrefix(line, "-- ")
		switch {
		case mark:
			paragraph, marked = []string{rest}, true
		case strings.HasPrefix(line, "@"):
		case line == "" && marked:
			return strings.Join(paragraph, " ")
		case line == "":
			paragraph = nil
		default:
			paragraph = append(paragraph, line)
		}
	}
	if !marked && (slices.ContainsFunc(paragraph, looksLikeYAML) || strings.Contains(text, headline)) {
		return ""
	}
	return strings.Join(paragraph, " ")
}

// headline is what helm create writes at the top of the file; it does not describe the first value.
const headline = "This is a YAML-formatted file."

var key = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- )?[A-Za-z0-9_.-]+:( |$)`) })

func looksLikeYAML(line string) bool {
	m := key().FindString(line)
	return m != "" && !strings.HasPrefix(m, "ref:") && !strings.HasPrefix(m, "Note:") && !strings.HasPrefix(m, "Ref:")
}

// maxTooltip is the length of a tooltip that fits on a screen.
const maxTooltip = 300

func short(text string) string { return diag.Head(strings.Join(strings.Fields(text), " "), maxTooltip) }
