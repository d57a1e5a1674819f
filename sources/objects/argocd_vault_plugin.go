package objects

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// asksForPlaceholders reports whether versions may be asked for of what placeholders in the object name.
func (o *Object) asksForPlaceholders() bool {
	return o.index.shared.ask[sources.Placeholders] && o.node.Valid() && !o.node.Get("sops").IsMap() && o.Annotation("avp.kubernetes.io/ignore") != "true" && o.placeholders()
}

// odd returns a decoder where some of the object's values are not what a container will read; nil where all are.
func (o *Object) odd() *decoder {
	sops := o.node.Get("sops").IsMap()
	if !sops && !o.placeholders() {
		return nil
	}
	d := &decoder{sops: sops}
	for i, note := range noteFields {
		d.notes[i] = canonical.String(o.Annotation(note[1]))
	}
	d.vault = !d.notes[0].IsVoid()
	d.ignore = o.Annotation("avp.kubernetes.io/ignore") == "true"
	return d
}

// placeholders reports whether some value may be one of another tool's placeholders.
func (o *Object) placeholders() bool {
	vault := o.Annotation("avp.kubernetes.io/path") != ""
	for _, f := range contentFields[o.Kind] {
		n := o.node.Get(f.name)
		encoded := f.base64 && (vault || n.End() == 0 || encodedPlaceholder(o.node.Document().Text()[n.Offset():n.End()]))
		for e := n.Fields(); e.Next(); {
			t := e.Value.Raw()
			switch {
			case bytes.IndexByte(t, '<') >= 0, bytes.IndexByte(t, '\\') >= 0:
				if bytes.Contains(t, escapedBracket) {
					t = e.Value.Value()
				}
			case encoded && (vault || encodedPlaceholder(t)):
				t, _ = base64.StdEncoding.DecodeString(e.Value.StringValue())
			default:
				continue
			}
			if placeholder(t, "<path:") || placeholder(t, "<secret:") || vault && placeholder(t, "<") {
				return true
			}
		}
	}
	return false
}

// escapedBracket is how Go's JSON encoder writes "<".
var escapedBracket = []byte(`\u003c`)

// encodedPlaceholder reports whether base64 may hold the beginning of a placeholder, which has three forms there by
// where it begins.
func encodedPlaceholder(t []byte) bool {
	for _, form := range [...]string{"PHBhdGg6", "xwYXRoO", "8cGF0aD", "PHNlY3JldD", "xzZWNyZXQ6", "8c2VjcmV0O"} {
		if bytes.Contains(t, []byte(form)) {
			return true
		}
	}
	return false
}

// placeholder reports whether text holds open, something, and ">".
func placeholder(text []byte, open string) bool {
	for {
		i := bytes.Index(text, []byte(open))
		if i < 0 {
			return false
		}
		text = text[i+len(open):]
		if end := bytes.IndexByte(text, '>'); end != 0 {
			return end > 0
		}
	}
}

// The forms of a placeholder that name a place for sure: others could be text in brackets, which may be a part of a
// Secret's value.
var (
	inlinePlaceholder  = regexp.MustCompile(`<path:\s*([^#<>|\s]+)#([^#<>|\s]+)(?:#([^#<>|\s]+))?\s*(?:\|[^<>]*)?>`)
	genericPlaceholder = regexp.MustCompile(`<\s*([A-Za-z0-9_.-]+)\s*(?:\|[^<>]*)?>`)
)

// FilledBy returns what the values in the object's own text are taken from in the cluster, and the places of
// placeholders, each once for a key, by field; "" where the values are what is written. It is known once the content
// was decoded.
func (o *Object) FilledBy() (tool string, places []RemoteRef) {
	d := o.decoder
	switch {
	case d == nil:
		return "", nil
	case d.sops:
		return SOPS, nil
	case d.ignore:
		return "", nil
	}
	for _, f := range contentFields[o.Kind] {
		for e := o.node.Get(f.name).Fields(); e.Next(); {
			raw := e.Value.StringValue()
			if f.base64 {
				decoded, err := base64.StdEncoding.DecodeString(raw)
				if err != nil {
					continue
				}
				raw = string(decoded)
			}
			for _, r := range d.places(raw) {
				places = append(places, RemoteRef{Key: e.Key.Field(), Ref: r})
			}
		}
	}
	return sources.Placeholders, places
}

// places returns the places that placeholders in a value name, each once. Their store is known where they are asked
// for.
func (d *decoder) places(raw string) (out []sources.Ref) {
	add := func(r sources.Ref) {
		if d.ask != nil {
			r = d.stored(r)
		}
		if !slices.ContainsFunc(out, func(other sources.Ref) bool { return other.Place() == r.Place() }) {
			out = append(out, r)
		}
	}
	for _, m := range inlinePlaceholder.FindAllStringSubmatch(raw, -1) {
		add(sources.Ref{Key: m[1], Property: m[2], Version: m[3]})
	}
	if !d.vault || strings.Contains(raw, "<path:") {
		return out
	}
	for _, m := range genericPlaceholder.FindAllStringSubmatch(raw, -1) {
		add(sources.Ref{Key: d.notes[0].Text, Property: m[1], Version: d.notes[1].Text})
	}
	return out
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// stored returns a place with its store, which is the one of the plugin: its environment says what that is, and for us a
// rule of the operator. The version is as other references have it.
func (d *decoder) stored(r sources.Ref) sources.Ref {
	r.Store = sources.Store{Kind: sources.Placeholders, Name: "default"}
	switch {
	case r.Version == "latest", d.notes[2].Text == "1":
		r.Version = ""
	case uuid.MatchString(r.Version):
		r.Version = "uuid/" + r.Version
	}
	return r
}

// versions adds to the stand-in of a value the versions of the places that its placeholders name, and returns the class
// of that.
func (d *decoder) versions(key string, v canonical.Value, raw string) (canonical.Value, string) {
	k := d.ask
	k.begin(key, canonical.ClassSpec)
	places := d.places(raw)
	if len(places) == 0 {
		k.unversioned(Fetched)
	}
	versions := canonical.List()
	for _, ref := range places {
		named := canonical.Value{Shape: canonical.Map}.With("key", canonical.String(ref.Key)).With("property", canonical.String(ref.Property))
		asked := len(named.Names)
		if k.answered(&named, "", ref, manifest.Node{}); len(named.Names) > asked {
			versions.Items = append(versions.Items, named)
		}
	}
	return v.With("versions", versions), k.class
}
