package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// schemaVersion is that of the JSON that Settings prints as.
const schemaVersion = 1

// Line is one setting as it is printed. A hash key is masked.
type Line struct {
	Name   string // as the configuration file spells it, with dots; hash-key and allow.* are in no file
	Value  any
	Source Source
}

// Lines lists every setting, in the order in which they are printed.
func (s *Settings) Lines() []Line {
	var out []Line
	for i := range table {
		if r := &table[i]; r.field != nil && !r.Hidden {
			value, source := r.printValue(s)
			out = append(out, Line{r.Name, value, source})
		}
	}
	return out
}

// MarshalJSON returns {"schema": 1, "settings": {NAME: {"value": ..., "source": ...}}}.
func (s *Settings) MarshalJSON() ([]byte, error) {
	all := map[string]Setting[any]{}
	for _, r := range s.Lines() {
		all[r.Name] = Setting[any]{r.Value, r.Source}
	}
	return json.Marshal(struct {
		Schema   int                     `json:"schema"`
		Settings map[string]Setting[any] `json:"settings"`
	}{schemaVersion, all})
}

// WriteText writes every setting as a line of YAML, or more for a list, with its source as a comment.
func (s *Settings) WriteText(w io.Writer) error {
	var out bytes.Buffer
	for _, r := range s.Lines() {
		text, err := yaml.Marshal(map[string]any{r.Name: r.Value})
		if err != nil {
			return fmt.Errorf("print setting %s: %w", r.Name, err)
		}
		first, rest, _ := bytes.Cut(text, []byte("\n"))
		fmt.Fprintf(&out, "%s  # %s\n%s", first, r.Source, rest)
	}
	_, err := w.Write(out.Bytes())
	return err
}
