package objects

import (
	"bytes"
	"encoding/base64"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// newDecoder returns a decoder where some of an object's values are not what a container will read; nil where all are.
func newDecoder(kind string, node manifest.Node) *decoder {
	sops := isSOPS(node)
	if !sops && !mayHavePlaceholders(kind, node) {
		return nil
	}
	return &decoder{kind: kind, node: node, sops: sops, placeholders: placeholdersOf(node)}
}

// pair returns a key's value: the ciphertext, the placeholder, or the bytes that it is.
func (d *decoder) pair(key string, n manifest.Node, f field) Pair {
	raw := []byte(n.StringValue())
	if d.sops && bytes.HasPrefix(raw, sopsPrefix) {
		return standIn(key, canonical.ClassCipher,
			canonical.Value{Shape: canonical.Map}.With("enc", canonical.String(string(raw))))
	}
	out, invalid := raw, n.Type() != manifest.String && n.Type() != manifest.Null
	if f.base64 {
		decoded, err := base64.StdEncoding.DecodeString(string(raw))
		if invalid = invalid || err != nil; !invalid {
			out = decoded
		}
	}
	text := canonical.Value{Shape: canonical.Map}.With("text", canonical.String(string(out)))
	switch {
	case d.placeholders.areIn(out):
		return d.placeholder(key, text, string(out))
	case !invalid:
		return Pair{Key: key, Value: redact.New(out)}
	case n.Type() != manifest.String:
		text = canonical.Value{Shape: canonical.Map}.With("text", canonical.Read(n))
	}
	return standIn(key, canonical.ClassSpec, text)
}

func standIn(key, class string, v canonical.Value) Pair {
	return Pair{Key: key, Value: redact.New(canonical.StandIn(nil, class, v)), StandIn: true}
}

// placeholder returns the stand-in of a value with placeholders.
func (d *decoder) placeholder(key string, v canonical.Value, text string) Pair {
	d.hasFound = true
	v = d.placeholders.describe(v)
	if d.asks == nil {
		return standIn(key, canonical.ClassSpec, v)
	}
	v, class := d.versions(key, v, text)
	return standIn(key, class, v)
}

// versions adds to the stand-in of a value the versions of the places that its placeholders name, and returns the class
// of that.
func (d *decoder) versions(key string, v canonical.Value, text string) (canonical.Value, string) {
	d.asks.begin(key, canonical.ClassSpec)
	places := d.places(text)
	if len(places) == 0 {
		d.asks.addUnversioned(Fetched)
	}
	versions := canonical.List()
	for _, ref := range places {
		named := canonical.Value{Shape: canonical.Map}.With("key", canonical.String(ref.Key)).
			With("property", canonical.String(ref.Property))
		fields := len(named.Names)
		if d.asks.addRef(&named, "", ref, manifest.Node{}); len(named.Names) > fields {
			versions.Items = append(versions.Items, named)
		}
	}
	return v.With("versions", versions), d.asks.class
}

// places returns the places that placeholders in a value name. Their store is known where they are asked for.
func (d *decoder) places(text string) []sources.Ref {
	return d.placeholders.places(text, d.asks != nil)
}

// FillingTool returns what the values in the object's own text are taken from in the cluster, and the places of
// placeholders, each once for a key, by field; "" where the values are what is written.
func (c *Content) FillingTool() (tool string, places []RemoteRef) {
	d := c.decoder
	switch {
	case d == nil:
		return "", nil
	case d.sops:
		return SOPS, nil
	case d.placeholders.ignored:
		return "", nil
	}
	for _, f := range contentFields[d.kind] {
		for e := d.node.Get(f.name).Fields(); e.Next(); {
			text := e.Value.StringValue()
			if f.base64 {
				decoded, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					continue
				}
				text = string(decoded)
			}
			for _, r := range d.places(text) {
				places = append(places, RemoteRef{Key: e.Key.Field(), Ref: r})
			}
		}
	}
	return sources.Placeholders, places
}
