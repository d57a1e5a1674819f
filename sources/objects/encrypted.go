package objects

import (
	"bytes"
	"encoding/base64"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// sealed makes the content of a SealedSecret: its ciphertexts, or the values where it was opened, and templates over them.
func sealed(k *making) {
	spec := k.producer.node.Get("spec")
	values, opened := k.opened()
	all := func() canonical.Value {
		out := canonical.Value{Shape: canonical.Map}
		for _, p := range values {
			out.Add(p.Key, canonical.String(string(p.Value.Reveal())))
		}
		for f := spec.Get("encryptedData").Fields(); f.Next() && !opened; {
			out = out.Set(f.Key.Field(), canonical.Value{})
			out.Add(f.Key.Field(), sealedBytes(f.Value))
		}
		return out
	}
	field := map[bool]string{true: "values", false: "encryptedData"}[opened]
	for f := spec.At("template", "data").Fields(); f.Next(); {
		k.put(f.Key.Field(), canonical.ClassSpec, func() canonical.Value {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(f.Value))
			if templated(f.Value.Value()) {
				v = v.With(field, all())
			}
			return v
		})
	}
	// On a clash the encrypted one wins, so these come last.
	if opened {
		k.pairs = append(k.pairs, values...)
		return
	}
	for f := spec.Get("encryptedData").Fields(); f.Next(); {
		if key := f.Key.Field(); !k.skip(key) {
			k.begin(key, canonical.ClassCipher)
			v := k.reader.Mapping(1)
			v.Add(field, sealedBytes(f.Value))
			k.end(v)
		}
	}
	if whole := spec.Get("data"); whole.IsScalar() && whole.StringValue() != "" {
		k.put(Anything, canonical.ClassCipher, func() canonical.Value { return canonical.Value{Shape: canonical.Map}.With("data", sealedBytes(whole)) })
	}
}

// sealedBytes returns a ciphertext behind its base64, or as it is written where it is none.
func sealedBytes(n manifest.Node) canonical.Value {
	raw, err := base64.StdEncoding.DecodeString(n.StringValue())
	if err != nil {
		return canonical.String(n.StringValue())
	}
	return canonical.String(string(raw))
}

// sealedJoins reports what a SealedSecret does to a Secret that is there, which has to allow it by an annotation.
func sealedJoins(producer, own manifest.Object) strategy {
	const patch, managed = "sealedsecrets.bitnami.com/patch", "sealedsecrets.bitnami.com/managed"
	switch {
	case own.Annotation(patch) == "true", producer.Annotation(patch) == "true":
		return overlay
	case own.Annotation(managed) == "true":
		return replace
	}
	return ignore
}

// sopsTemplates makes the content of a SopsSecret's template of the name that is made; list is the field of its spec that has them.
func sopsTemplates(list string) func(*making) {
	return func(k *making) {
		for t := range k.producer.node.At("spec", list).Items() {
			if t.Get("name").StringValue() != k.target.name {
				continue
			}
			d := decoder{sops: true}
			for _, f := range contentFields[secret] {
				for e := t.Get(f.name).Fields(); e.Next(); {
					k.pairs = append(k.pairs, d.odd(e.Key.Field(), e.Value, f))
				}
			}
		}
	}
}

// decoder reads a ConfigMap or Secret some of whose values stand for others.
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
