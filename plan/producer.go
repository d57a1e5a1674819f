package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// Producer is an object that produces another in the cluster, or that a tool copies; or the tool, SOPS or
// argocd-vault-plugin, that replaces values in an object's own text: then it has no name, and its position is the
// object's.
type Producer struct {
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace"`
	Name       string   `json:"name"`
	File       string   `json:"file,omitempty"`
	Line       int      `json:"line,omitempty"`
	RenderLine int      `json:"-"`                 // as in a diag.Position
	Context    bool     `json:"context,omitempty"` // it is only looked up, not rendered
	Copied     bool     `json:"copied,omitempty"`  // a tool copies it, and it produces nothing
	Sources    []Source `json:"sources"`
}

// Position returns where the producer is, the zero value where that is in the context.
func (p *Producer) Position() diag.Position {
	return diag.Position{File: p.File, Line: p.Line, RenderLine: p.RenderLine}
}

// At returns the producer with another position.
func (p Producer) At(pos diag.Position) Producer {
	p.File, p.Line, p.RenderLine = pos.File, pos.Line, pos.RenderLine
	return p
}

// Source is the place in a store that a key comes from. It encodes as an object with four texts: key, store as
// KIND/NAME, remote as KEY#PROPERTY@VERSION or find?..., and version.
type Source struct {
	Key     string      // objects.Anything where keys are not known
	Ref     sources.Ref // a decoded one has of its store the kind and the name
	Version string      // that of the lock or the store, or the one that the manifest pins; "" where none is known
}

// Store returns the store as KIND/NAME, "" where the manifest names none.
func (s *Source) Store() string {
	if s.Ref.Store.Kind == "" {
		return ""
	}
	return s.Ref.Store.Kind + "/" + s.Ref.Store.Name
}

// Remote returns the place in the store as one text: KEY#PROPERTY@VERSION, or find?...
func (s *Source) Remote() string { return s.Ref.Place() }

// source is the encoding of a Source.
type source struct {
	Key     string `json:"key"`
	Store   string `json:"store"`
	Remote  string `json:"remote"`
	Version string `json:"version"`
}

// MarshalJSON encodes a source as Source describes.
func (s Source) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // the encoder of the Plan decides that
	err := enc.Encode(source{s.Key, s.Store(), s.Remote(), s.Version})
	return out.Bytes(), err
}

// UnmarshalJSON decodes what MarshalJSON encoded.
func (s *Source) UnmarshalJSON(text []byte) error {
	var from source
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	ref, err := parsePlace(from.Remote)
	if err != nil {
		return err
	}
	ref.Store.Kind, ref.Store.Name, _ = strings.Cut(from.Store, "/")
	*s = Source{from.Key, ref, from.Version}
	return nil
}

// parsePlace reads what sources.Ref.Place writes.
func parsePlace(text string) (ref sources.Ref, err error) {
	if rest, found := strings.CutPrefix(text, "find?"); found {
		ref.Find, err = parseFind(rest)
		return ref, err
	}
	text, version, _ := strings.Cut(text, "@")
	key, property, _ := strings.Cut(text, "#")
	for _, part := range []struct {
		to   *string
		text string
	}{{&ref.Key, key}, {&ref.Property, property}, {&ref.Version, version}} {
		if *part.to, err = unescape(part.text); err != nil {
			return ref, err
		}
	}
	return ref, nil
}

// parseFind reads the parts of a search, which question marks separate.
func parseFind(text string) (*sources.Find, error) {
	find := &sources.Find{}
	for part := range strings.SplitSeq(text, "?") {
		name, value, _ := strings.Cut(part, "=")
		value, err := unescape(value)
		if err != nil {
			return nil, err
		}
		tag, isTag := strings.CutPrefix(name, "tag:")
		switch {
		case isTag:
			if tag, err = unescape(tag); err != nil {
				return nil, err
			}
			if find.Tags == nil {
				find.Tags = map[string]string{}
			}
			find.Tags[tag] = value
		case name == "path":
			find.Path = value
		case name == "name":
			find.Name = value
		default:
			return nil, fmt.Errorf("a search by %q is not known", name)
		}
	}
	return find, nil
}

// unescape replaces %XX by the byte that it is for.
func unescape(text string) (string, error) {
	before, rest, escaped := strings.Cut(text, "%")
	if !escaped {
		return text, nil
	}
	var out strings.Builder
	for ; escaped; before, rest, escaped = strings.Cut(rest, "%") {
		out.WriteString(before)
		if len(rest) < 2 {
			return "", fmt.Errorf("%q ends in an escape", text)
		}
		c, err := strconv.ParseUint(rest[:2], 16, 8)
		if err != nil {
			return "", fmt.Errorf("%q is not an escape", "%"+rest[:2])
		}
		out.WriteByte(byte(c))
		rest = rest[2:]
	}
	out.WriteString(before)
	return out.String(), nil
}
