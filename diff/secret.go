package diff

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hidden replaces a value of a Secret: equal ones are equal, and nothing else can be learned from it.
type hidden [sha256.Size]byte

// String returns the mask.
func (hidden) String() string { return "(hidden)" }

// isHidden reports whether a value is hidden, or holds what is.
func isHidden(v any) bool {
	switch v := v.(type) {
	case hidden:
		return true
	case map[string]any:
		for _, below := range v {
			if isHidden(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, isHidden)
	}
	return false
}

// mask hides values with a random key that is never stored. It is for one goroutine.
type mask struct{ hash hash.Hash }

func newMask() mask {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return mask{hmac.New(sha256.New, key)}
}

func (m mask) hide(value []byte) (out hidden) {
	m.hash.Reset()
	m.hash.Write(value)
	m.hash.Sum(out[:0])
	return out
}

// masked begins the stand-in for a value outside of Secrets.
const masked = "(hidden:"

// text returns the stand-in for a value where a text has to stand: it distinguishes equal values from others, and show
// takes even that out.
func (m mask) text(value any) string {
	sum := m.hide(fmt.Append(nil, value))
	return masked + hex.EncodeToString(sum[:]) + ")"
}

// isMasked reports whether a value is such a text.
func isMasked(v any) bool {
	text, ok := v.(string)
	return ok && strings.HasPrefix(text, masked) && len(text) == len(masked)+hex.EncodedLen(sha256.Size)+1
}

// withoutSums removes from such texts what distinguishes them.
func withoutSums(text string) string {
	if !strings.Contains(text, masked) {
		return text
	}
	return sums().ReplaceAllString(text, isSecret)
}

// What a report shows of a secret, and of one that is another than before.
const (
	isSecret    = "(hidden)"
	isNewSecret = "(hidden, changed)"
)

// withoutSumsAfter does so in a text that replaces another one, of whose values those that are new are distinguished
// from the rest.
func withoutSumsAfter(before, text string) string {
	if !strings.Contains(text, masked) {
		return text
	}
	return sums().ReplaceAllStringFunc(text, func(sum string) string {
		if strings.Contains(before, sum) {
			return isSecret
		}
		return isNewSecret
	})
}

var sums = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(masked) + `[0-9a-f]{64}\)`)
})

// lastApplied is where kubectl notes the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// secret takes the values out of a Secret: data and stringData become what a container reads under each key, hidden.
// It returns these.
func (m mask) secret(secret map[string]any) map[string]any {
	all := map[string]any{}
	data, _ := secret["data"].(map[string]any)
	for key, v := range data {
		text := fmt.Sprint(v)
		raw, err := base64.StdEncoding.DecodeString(text) // it ignores line breaks
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
		secret["data"] = all
	}
	return all
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
