package diff

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hidden replaces a value of a Secret: equal ones are equal, and nothing else can be learned from it.
type hidden [sha256.Size]byte

// String returns the mask.
func (hidden) String() string { return "(hidden)" }

// mask makes values hidden, with a random key that is never stored.
type mask []byte

func newMask() mask {
	key := make(mask, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
}

func (m mask) hide(value []byte) hidden {
	h := hmac.New(sha256.New, m)
	h.Write(value)
	return hidden(h.Sum(nil))
}

// lastApplied is where kubectl notes the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// content is what a Secret holds for containers, hidden.
type content map[string]hidden

// secret takes the values out of a Secret: data and stringData become what a container reads under each key, hidden.
func (m mask) secret(secret map[string]any) *content {
	all := content{}
	data, _ := secret["data"].(map[string]any)
	for key, v := range data {
		text := fmt.Sprint(v)
		raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(text))
		if err != nil {
			raw = []byte("not base64:" + text)
		}
		all[key] = m.hide(raw)
	}
	texts, _ := secret["stringData"].(map[string]any)
	for key, v := range texts {
		if v == nil {
			v = ""
		}
		all[key] = m.hide(fmt.Append(nil, v))
	}
	m.rest(secret)
	if len(all) > 0 {
		table := make(map[string]any, len(all))
		for key, v := range all {
			table[key] = v
		}
		secret["data"] = table
	}
	return &all
}

// rest takes out of a Secret what has been read, and hides what is under a name that a Secret has no field for, or is
// no table: it may be a value that was misplaced.
func (m mask) rest(secret map[string]any) {
	for field, v := range secret {
		_, table := v.(map[string]any)
		switch field {
		case "apiVersion", "kind", "metadata", "type", "immutable":
			continue
		case "data", "stringData":
			if table || v == nil {
				delete(secret, field)
				continue
			}
		}
		if text, err := json.Marshal(v); err == nil { // it was decoded from YAML, so that never fails
			secret[field] = m.hide(text)
		}
	}
}

// keys returns, for a ConfigMap or Secret, what a container reads under each key, in a form that can be compared; nil
// for other kinds.
func (o *object) keys() map[string]any {
	table, err := o.values()
	if err != nil || o.Group != "" {
		return nil
	}
	switch o.Kind {
	case "Secret":
		out := make(map[string]any, len(*o.secret))
		for key, v := range *o.secret {
			out[key] = v
		}
		return out
	case "ConfigMap":
		out := map[string]any{}
		for _, field := range []string{"binaryData", "data"} {
			values, _ := table[field].(map[string]any)
			maps.Copy(out, values)
		}
		return out
	}
	return nil
}

// KeyChange is a key of a ConfigMap or Secret that is not what it was.
type KeyChange struct {
	Key    string `json:"key"`
	Change Change `json:"change"`
}

// changedKeys compares what two objects hold, sorted by key.
func changedKeys(from, to map[string]any) []KeyChange {
	var out []KeyChange
	for _, key := range slices.Sorted(maps.Keys(union(from, to))) {
		a, had := from[key]
		b, has := to[key]
		switch {
		case !had:
			out = append(out, KeyChange{key, Addition})
		case !has:
			out = append(out, KeyChange{key, Removal})
		case a != b:
			out = append(out, KeyChange{key, Modification})
		}
	}
	return out
}

func union(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
