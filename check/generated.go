package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// suffixLength is how many characters kustomize appends to the names of what its generators make, after a dash.
const suffixLength = 10

// FindRolledByName returns the ConfigMaps and Secrets of a text whose names end in kustomize's hash of their content:
// whoever refers to them restarts by that name, with a stamp or without.
func FindRolledByName(text []byte) (out []config.ContentMatch, err error) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, err
		}
		for o := range d.Objects() {
			if isRolledByName(o) {
				out = append(out, config.ContentMatch{Kind: config.ContentKind(strings.Clone(o.Kind)),
					Name: config.Glob(strings.Clone(o.Name)), Namespace: config.Glob(strings.Clone(o.Namespace))})
			}
		}
	}
}

// WithFinalNames returns manifests in which stamps about objects that are rolled by name have the names that these
// objects have now: a function of kustomize only knew those without the hash. Where an object has such a name, too, a
// stamp is about that one.
func WithFinalNames(out *render.Output, rolled []config.ContentMatch, all Manifests) *render.Output {
	var names []string
	for _, o := range rolled {
		name := string(o.Name)
		base := name[:len(name)-suffixLength-1]
		if _, taken := all[object{"", string(o.Kind), cmp.Or(string(o.Namespace), out.Namespace), base}]; !taken {
			names = append(names, hashing.Annotation("", string(o.Kind), base)+":",
				hashing.Annotation("", string(o.Kind), name)+":")
		}
	}
	if len(names) == 0 {
		return out
	}
	renamed, begin := *out, 0
	renamed.Text, renamed.Origins = nil, slices.Clone(out.Origins)
	replacer := strings.NewReplacer(names...)
	for i, origin := range out.Origins {
		renamed.Text = append(renamed.Text, replacer.Replace(string(out.Text[begin:origin.Offset]))...)
		renamed.Origins[i].Offset, begin = len(renamed.Text), origin.Offset
	}
	renamed.Text = append(renamed.Text, replacer.Replace(string(out.Text[begin:]))...)
	return &renamed
}

// isRolledByName reports whether the end of an object's name is the hash of its content, as kustomize makes it: the
// name has no part in it.
func isRolledByName(o manifest.Object) bool {
	i := len(o.Name) - suffixLength - 1
	if o.Group() != "" || o.Kind != "ConfigMap" && o.Kind != "Secret" || i < 1 || o.Name[i] != '-' {
		return false
	}
	hashed := map[string]any{"kind": o.Kind, "name": "", "data": entriesOf(o.Node.Get("data"))}
	more := "binaryData"
	if o.Kind == "Secret" {
		more = "stringData"
		hashed["type"] = o.Node.Get("type").Text()
	}
	if values := o.Node.Get(more); values.IsMap() {
		hashed[more] = entriesOf(values)
	}
	text, err := json.Marshal(hashed)
	if err != nil {
		return false
	}
	sum := sha256.Sum256(text)
	return o.Name[i+1:] == strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t").Replace(
		hex.EncodeToString(sum[:])[:suffixLength])
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
