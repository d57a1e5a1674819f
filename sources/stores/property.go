package stores

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// What a path may have: each comma and modifier can double what is selected, and a path comes from a manifest.
const (
	maxPath    = 1 << 10
	maxDoubles = 8
)

// Property returns a field of a value that is JSON: the one of that name, else what the name selects as a path of
// gjson, as External Secrets does. "" is all of it, as canonical JSON where it is JSON at all. A string is returned
// without its quotes.
func Property(text []byte, property string) (redact.Secret, error) {
	if property == "" {
		if whole, err := canonical(text); err == nil {
			return redact.New(whole), nil
		}
		return redact.New(text), nil
	}
	if len(property) > maxPath || strings.Count(property, ",")+strings.Count(property, "@") > maxDoubles {
		return redact.Secret{}, sources.Fail(sources.Refused, "property")
	}
	for _, path := range []string{gjson.Escape(property), property} {
		found := gjson.GetBytes(text, path)
		if found.Type == gjson.String {
			return redact.New([]byte(found.Str)), nil
		}
		if value, err := canonical([]byte(found.Raw)); err == nil {
			return redact.New(value), nil
		}
	}
	return redact.Secret{}, sources.NoProperty("property")
}

// canonical returns JSON in the form that does not depend on how it is written.
func canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, sources.Fail(sources.Malformed, "")
	}
	return json.Marshal(value)
}
