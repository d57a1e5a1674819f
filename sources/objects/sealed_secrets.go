package objects

import (
	"encoding/base64"
	"fmt"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// SealedSecret is the kind of Bitnami's Sealed Secrets: the Secret has the name of the object.
const SealedSecret = "SealedSecret"

// sealedSecrets knows Bitnami's Sealed Secrets.
func sealedSecrets() operator {
	return operator{rows: map[string][]row{
		SealedSecret: {{
			group: "bitnami.com", kind: secret, encrypted: true, content: sealedContent, read: readSealed, merge: sealedMerge,
			copiedBy: fields("spec.template.metadata.annotations"),
		}},
	}, secrets: []secretPlaces{{kinds: []string{"SealedSecret"}, places: literalsAt("spec.template")}}}
}

// sealedContent builds the content of a SealedSecret: its ciphertexts, or the values where it was decrypted, and
// templates over them.
func sealedContent(b *builder) {
	spec := b.producer.node.Get("spec")
	values, decrypted := b.plaintext, b.isDecrypted
	inputs := func(in inputNames) canonical.Value {
		out := canonical.Value{Shape: canonical.Map}
		for _, p := range values {
			if in.needs(p.Key) {
				out.Add(p.Key, canonical.String(string(p.Value.Reveal())))
			}
		}
		for f := spec.Get("encryptedData").Fields(); f.Next() && !decrypted; {
			if key := f.Key.Field(); in.needs(key) {
				out = out.Set(key, canonical.Value{})
				out.Add(key, sealedBytes(f.Value))
			}
		}
		return out
	}
	field := map[bool]string{true: "values", false: "encryptedData"}[decrypted]
	for f := spec.At("template", "data").Fields(); f.Next(); {
		b.put(f.Key.Field(), canonical.ClassSpec, func() canonical.Value {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(f.Value))
			return v.With(field, inputs(inputsOf(f.Value.Value())))
		})
	}
	// On a clash the encrypted one wins, so these come last.
	if decrypted {
		b.pairs = append(b.pairs, values...)
		return
	}
	for f := spec.Get("encryptedData").Fields(); f.Next(); {
		if key := f.Key.Field(); !b.skip(key) {
			b.begin(key, canonical.ClassCipher)
			v := b.reader.Mapping(1)
			v.Add(field, sealedBytes(f.Value))
			b.end(v)
		}
	}
	if whole := spec.Get("data"); whole.IsScalar() && whole.StringValue() != "" {
		b.put(Anything, canonical.ClassCipher,
			func() canonical.Value { return canonical.Value{Shape: canonical.Map}.With("data", sealedBytes(whole)) })
	}
}

// sealedBytes returns a ciphertext, decoded from its base64, or as it is written where it is none.
func sealedBytes(n manifest.Node) canonical.Value {
	raw, err := base64.StdEncoding.DecodeString(n.StringValue())
	if err != nil {
		return canonical.String(n.StringValue())
	}
	return canonical.String(string(raw))
}

// sealedMerge returns what a SealedSecret does to a Secret that is there, which has to allow it by an annotation.
func sealedMerge(producer, written manifest.Object) config.MergeStrategy {
	const patch, managed = "sealedsecrets.bitnami.com/patch", "sealedsecrets.bitnami.com/managed"
	switch {
	case written.Annotation(patch) == "true", producer.Annotation(patch) == "true":
		return config.MergeOverlay
	case written.Annotation(managed) == "true":
		return config.MergeReplace
	}
	return config.MergeIgnore
}

// readSealed checks a SealedSecret.
func readSealed(r *reading, root manifest.Node) {
	spec := root.Get("spec")
	if sealed := spec.Get("encryptedData"); !sealed.IsMap() && spec.Get("data").StringValue() == "" {
		at := sealed
		if !at.Valid() {
			at = root
		}
		r.add(at, "", "encryptedData is no mapping from keys to ciphertexts")
	}
	for f := root.At("spec", "encryptedData").Fields(); f.Next(); {
		if _, err := base64.StdEncoding.DecodeString(f.Value.StringValue()); err != nil || f.Value.StringValue() == "" {
			r.add(f.Value, f.Key.Field(), "the value of key %q in encryptedData is no ciphertext: invalid base64",
				f.Key.Field())
			r.problems[len(r.problems)-1].Tolerated = true // examples are full of it
		}
	}
	for f := root.At("spec", "template", "data").Fields(); f.Next(); {
		r.template(f.Value, f.Key.Field(), fmt.Sprintf("key %q of template.data", f.Key.Field()))
	}
}
