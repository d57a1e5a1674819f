// Package generated recognizes what kustomize's generators made by its name, which ends in a hash of the content.
package generated

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
)

// hashLength is how many characters kustomize appends to a name, after a dash.
const hashLength = 10

// Hash is an expression for the hash that kustomize puts at the end of what it generates: kyaml's hasher writes
// hexadecimal digits without vowels and what can be taken for one.
const Hash = "[24-9bcdfghkmt]{10}"

// hashed is a name with a hash.
var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(.+)-" + Hash + "$") })

// Base returns a generated name without its hash, and whether it looks like one.
func Base(name string) (string, bool) {
	m := hashed().FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// HasHash reports whether the end of an object's name is the hash of its content, as kustomize makes it: the name has
// no part in it.
func HasHash(o manifest.Object) bool {
	i := len(o.Name) - hashLength - 1
	if o.Group() != "" || o.Kind != "ConfigMap" && o.Kind != "Secret" || i < 1 || o.Name[i] != '-' {
		return false
	}
	content := map[string]any{"kind": o.Kind, "name": "", "data": entriesOf(o.Node.Get("data"))}
	more := "binaryData"
	if o.Kind == "Secret" {
		more = "stringData"
		content["type"] = o.Node.Get("type").Text()
	}
	if values := o.Node.Get(more); values.IsMap() {
		content[more] = entriesOf(values)
	}
	text, err := json.Marshal(content)
	if err != nil {
		return false
	}
	sum := sha256.Sum256(text)
	return o.Name[i+1:] == strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t").Replace(
		hex.EncodeToString(sum[:])[:hashLength])
}

// entriesOf returns a mapping of strings, and "" for what is not there.
func entriesOf(n manifest.Node) any {
	if !n.IsMap() {
		return ""
	}
	out := map[string]string{}
	for k, v := range n.Entries() {
		out[k.Text()] = v.Text()
	}
	return out
}
