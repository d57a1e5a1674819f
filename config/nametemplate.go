package config

import (
	"fmt"
	"slices"
	"strings"
)

// NameTemplate is the name of what is produced: a path whose text it is, or text with paths in braces
// ("{metadata.name}-app"). The zero value says nothing.
type NameTemplate struct {
	text  string
	parts []NamePart
}

// NamePart is a part of a name: a path whose text counts, or, where the path is empty, the text.
type NamePart struct {
	Text string
	Path Path
}

// Parts returns the parts, in their order. The caller does not change them.
func (n NameTemplate) Parts() []NamePart { return n.parts }

// IsPath reports whether the name is a path whose text it is, without braces.
func (n NameTemplate) IsPath() bool { return len(n.parts) == 1 && n.parts[0].Path.String() == n.text }

// HasMarks reports whether the name comes from annotations or labels, which most objects of a kind lack.
func (n NameTemplate) HasMarks() bool {
	return slices.ContainsFunc(n.parts, func(p NamePart) bool { return p.Path.IsMark() })
}

// IsZero reports whether nothing is said of the name.
func (n NameTemplate) IsZero() bool { return len(n.parts) == 0 }

// String returns the template as written.
func (n NameTemplate) String() string { return n.text }

// MarshalText returns the template as written.
func (n NameTemplate) MarshalText() ([]byte, error) { return []byte(n.text), nil }

// UnmarshalText parses a template; see ParseName.
func (n *NameTemplate) UnmarshalText(b []byte) error {
	parsed, err := ParseName(string(b))
	if err != nil {
		return err
	}
	*n = parsed
	return nil
}

// ParseName parses a path, or a text that has at least one path in braces.
func ParseName(text string) (NameTemplate, error) {
	n := NameTemplate{text: text}
	if !strings.ContainsAny(text, "{}") {
		p, err := ParsePath(text)
		if err != nil || p.IsZero() {
			return NameTemplate{}, err
		}
		n.parts = []NamePart{{Path: p}}
		return n, nil
	}
	for rest := text; rest != ""; {
		before, inside, open := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return NameTemplate{}, fmt.Errorf("name %q: a brace is closed that was not opened", text)
		}
		if before != "" {
			n.parts = append(n.parts, NamePart{Text: before})
		}
		if !open {
			return n, nil
		}
		path, after, closed := strings.Cut(inside, "}")
		if !closed {
			return NameTemplate{}, fmt.Errorf("name %q: a brace is not closed", text)
		}
		p, err := ParsePath(path)
		if err != nil {
			return NameTemplate{}, err
		}
		if p.IsZero() {
			return NameTemplate{}, fmt.Errorf("name %q: there is no path between braces", text)
		}
		n.parts = append(n.parts, NamePart{Path: p})
		rest = after
	}
	return n, nil
}
