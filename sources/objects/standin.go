package objects

import (
	"bytes"
	"encoding/base64"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// decoder reads a ConfigMap or Secret some of whose values are stand-ins.
type decoder struct {
	sops   bool
	vault  bool    // it says where words in angle brackets come from
	ignore bool    // placeholders are none
	held   bool    // one was met
	ask    *making // where versions of places are asked for; nil where not
	notes  [3]canonical.Value
}

var noteFields = [3][2]string{{"path", "avp.kubernetes.io/path"}, {"secretVersion", "avp.kubernetes.io/secret-version"}, {"kvVersion", "avp.kubernetes.io/kv-version"}}

var encrypted = []byte("ENC[")

// odd returns a value: the ciphertext, the placeholder, or the bytes that it is.
func (d *decoder) odd(key string, n manifest.Node, f field) Pair {
	raw := []byte(n.StringValue())
	if d.sops && bytes.HasPrefix(raw, encrypted) {
		return Pair{key, redact.New(canonical.StandIn(nil, canonical.ClassCipher, canonical.Value{Shape: canonical.Map}.With("enc", canonical.String(string(raw))))), true}
	}
	out, bad := raw, n.Type() != manifest.String && n.Type() != manifest.Null
	if f.base64 {
		decoded, err := base64.StdEncoding.DecodeString(string(raw))
		if bad = bad || err != nil; !bad {
			out = decoded
		}
	}
	v, class := canonical.Value{Shape: canonical.Map}.With("text", canonical.String(string(out))), canonical.ClassSpec
	switch {
	case !d.ignore && (placeholder(out, "<path:") || placeholder(out, "<secret:") || d.vault && placeholder(out, "<")):
		d.held = true
		for i, note := range d.notes {
			v = v.With(noteFields[i][0], note)
		}
		if d.ask != nil {
			v, class = d.versions(key, v, string(out))
		}
	case bad:
		if n.Type() != manifest.String {
			v = canonical.Value{Shape: canonical.Map}.With("text", canonical.Read(n))
		}
	default:
		return Pair{key, redact.New(out), false}
	}
	return Pair{key, redact.New(canonical.StandIn(nil, class, v)), true}
}
