package config

import (
	"fmt"
	"slices"
	"strings"
)

// Selector is a label selector in the syntax of Kubernetes: requirements with commas between them, which must all hold. The
// zero value matches everything.
type Selector struct {
	text         string
	requirements []requirement
}

// requirement is one term of a selector. Values is sorted as written; op says what it means.
type requirement struct {
	key    string
	op     operator
	values []string
}

type operator int

const (
	exists operator = iota
	absent
	in
	notIn // also fits where the label is absent, as in Kubernetes
)

// IsZero reports whether the selector selects nothing in particular.
func (s Selector) IsZero() bool { return s.text == "" }

// String returns the selector as written.
func (s Selector) String() string { return s.text }

// MarshalText returns the selector as written.
func (s Selector) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText parses a selector; see ParseSelector.
func (s *Selector) UnmarshalText(b []byte) error {
	parsed, err := ParseSelector(string(b))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// Matches reports whether labels fulfil every requirement.
func (s Selector) Matches(labels map[string]string) bool {
	for _, r := range s.requirements {
		value, has := labels[r.key]
		fits := has
		switch r.op {
		case absent:
			fits = !has
		case in:
			fits = has && slices.Contains(r.values, value)
		case notIn:
			fits = !has || !slices.Contains(r.values, value)
		}
		if !fits {
			return false
		}
	}
	return true
}

// ParseSelector parses a label selector: key, !key, key=value, key==value, key!=value, key in (a,b), key notin (a,b). Other than
// in Kubernetes, one without any requirement is an error.
func ParseSelector(text string) (Selector, error) {
	p := &selectorParser{rest: text}
	s := Selector{text: text}
	for {
		r, err := p.requirement()
		if err != nil {
			return Selector{}, fmt.Errorf("label selector %q: %w", text, err)
		}
		s.requirements = append(s.requirements, r)
		switch t := p.next(); t {
		case "":
			return s, nil
		case ",":
		default:
			return Selector{}, fmt.Errorf("label selector %q: unexpected %q", text, t)
		}
	}
}

type selectorParser struct{ rest string }

// next takes a token: a word, one of ! = == != , ( ), or "" at the end.
func (p *selectorParser) next() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	n := strings.IndexAny(p.rest, " \t\r\n!=,()")
	switch {
	case n < 0:
		n = len(p.rest)
	case n == 0 && (strings.HasPrefix(p.rest, "==") || strings.HasPrefix(p.rest, "!=")):
		n = 2
	case n == 0:
		n = 1
	}
	t := p.rest[:n]
	p.rest = p.rest[n:]
	return t
}

func (p *selectorParser) peek() string {
	rest := p.rest
	t := p.next()
	p.rest = rest
	return t
}

func isWord(t string) bool { return t != "" && !strings.ContainsAny(t, "!=,()") }

func (p *selectorParser) requirement() (requirement, error) {
	key := p.next()
	if key == "!" {
		key = p.next()
		return requirement{key: key, op: absent}, labelKey(key)
	}
	if err := labelKey(key); err != nil {
		return requirement{}, err
	}
	switch p.peek() {
	case "", ",":
		return requirement{key: key, op: exists}, nil
	case "=", "==":
		p.next()
		value, err := p.value()
		return requirement{key, in, []string{value}}, err
	case "!=":
		p.next()
		value, err := p.value()
		return requirement{key, notIn, []string{value}}, err
	case "in":
		p.next()
		values, err := p.set()
		return requirement{key, in, values}, err
	case "notin":
		p.next()
		values, err := p.set()
		return requirement{key, notIn, values}, err
	}
	return requirement{}, fmt.Errorf("unexpected %q behind %q", p.peek(), key)
}

// value takes the value of an equation, which may be empty.
func (p *selectorParser) value() (string, error) {
	if t := p.peek(); t == "" || t == "," {
		return "", nil
	}
	v := p.next()
	return v, labelValue(v)
}

// set takes "(a, b)". As in Kubernetes an empty place between commas is the empty value.
func (p *selectorParser) set() ([]string, error) {
	if t := p.next(); t != "(" {
		return nil, fmt.Errorf("want ( before the values, found %q", t)
	}
	var values []string
	for {
		value := ""
		if isWord(p.peek()) {
			value = p.next()
		}
		if err := labelValue(value); err != nil {
			return nil, err
		}
		values = append(values, value)
		switch t := p.next(); t {
		case ",":
		case ")":
			return values, nil
		default:
			return nil, fmt.Errorf("want , or ) behind the values, found %q", t)
		}
	}
}

const (
	lowerDigits = "abcdefghijklmnopqrstuvwxyz0123456789"
	alnum       = lowerDigits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// labelKey refuses what cannot be the key of a label: a name like a value that is not empty, perhaps behind a DNS name and a
// slash.
func labelKey(s string) error {
	prefix, name, slashed := strings.Cut(s, "/")
	if !slashed {
		name = s
	}
	if !edged(name, alnum, "-_.") || len(name) > 63 || slashed && !dnsName(prefix) {
		return fmt.Errorf("%q is not the key of a label", s)
	}
	return nil
}

// labelValue refuses what cannot be the value of a label: nothing, or up to 63 letters, digits, '-', '_' and '.', of which the
// first and last are letters or digits.
func labelValue(s string) error {
	if s != "" && (!edged(s, alnum, "-_.") || len(s) > 63) {
		return fmt.Errorf("%q is not the value of a label", s)
	}
	return nil
}

func dnsName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !edged(part, lowerDigits, "-") {
			return false
		}
	}
	return len(s) <= 253
}

// edged reports whether s is not empty, of characters in edge and inner, with those of edge alone at both ends.
func edged(s, edge, inner string) bool {
	return s != "" && strings.Contains(edge, s[:1]) && strings.Contains(edge, s[len(s)-1:]) && strings.Trim(s, edge+inner) == ""
}
