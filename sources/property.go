package sources

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/redact"
)

// Property returns a field of a value that is JSON: the one of that name, else the one at that dotted path. "" is all
// of it, as canonical JSON where it is JSON at all. A string is returned without its quotes.
func Property(text []byte, property string) (redact.Secret, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil || dec.More() {
		if property == "" {
			return redact.New(text), nil
		}
		return redact.Secret{}, NoProperty("the value is no JSON, so it has no property")
	}
	if property != "" {
		var ok bool
		if value, ok = lookIn(value, property); !ok {
			return redact.Secret{}, NoProperty("property")
		}
		if s, ok := value.(string); ok {
			return redact.New([]byte(s)), nil
		}
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		return redact.Secret{}, Fail(Malformed, "")
	}
	return redact.New(canonical), nil
}

// NoProperty is a failure that concerns one property of a key, not the key.
func NoProperty(status string) *Failure {
	return &Failure{Class: NotFound, Status: status, cause: ErrNoProperty}
}

// lookIn follows a path. The longest name that fits counts, because names may hold dots.
func lookIn(value any, path string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		if found, ok := v[path]; ok {
			return found, true
		}
		for i := len(path) - 1; i > 0; i-- {
			if path[i] != '.' {
				continue
			}
			if next, ok := v[path[:i]]; ok {
				if found, ok := lookIn(next, path[i+1:]); ok {
					return found, true
				}
			}
		}
	case []any:
		first, rest, more := strings.Cut(path, ".")
		i, err := strconv.Atoi(first)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		if !more {
			return v[i], true
		}
		return lookIn(v[i], rest)
	}
	return nil, false
}
