package objects

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// The annotations of argocd-vault-plugin.
const (
	vaultPluginPath   = "avp.kubernetes.io/path"
	vaultPluginIgnore = "avp.kubernetes.io/ignore"
)

// noteFields are the fields of a stand-in for annotations about placeholders.
var noteFields = [3][2]string{
	{"path", vaultPluginPath}, {"secretVersion", "avp.kubernetes.io/secret-version"},
	{"kvVersion", "avp.kubernetes.io/kv-version"},
}

// placeholders is what the annotations of an object have about the placeholders in it.
type placeholders struct {
	ignored bool // they are text
	notes   [3]canonical.Value
}

func placeholdersOf(n manifest.Node) (p placeholders) {
	o := manifest.Object{Node: n}
	for i, note := range noteFields {
		p.notes[i] = canonical.String(o.Annotation(note[1]))
	}
	p.ignored = o.Annotation(vaultPluginIgnore) == "true"
	return p
}

// hasPath reports whether the annotations name the path that words in angle brackets come from.
func (p *placeholders) hasPath() bool { return !p.notes[0].IsVoid() }

// areIn reports whether a value holds a placeholder.
func (p *placeholders) areIn(text []byte) bool {
	return !p.ignored && hasPlaceholder(text, p.hasPath())
}

// describe adds the annotations about placeholders to a stand-in.
func (p *placeholders) describe(v canonical.Value) canonical.Value {
	for i, note := range p.notes {
		v = v.With(noteFields[i][0], note)
	}
	return v
}

// mayHavePlaceholders reports whether some value may be one of another tool's placeholders.
func mayHavePlaceholders(kind string, node manifest.Node) bool {
	hasPath := manifest.Object{Node: node}.Annotation(vaultPluginPath) != ""
	for _, f := range contentFields[kind] {
		n := node.Get(f.name)
		encoded := f.base64 &&
			(hasPath || n.End() == 0 || mayEncodePlaceholder(node.Document().Text()[n.Offset():n.End()]))
		for e := n.Fields(); e.Next(); {
			t := e.Value.Raw()
			switch {
			case bytes.IndexByte(t, '<') >= 0, bytes.IndexByte(t, '\\') >= 0:
				if bytes.Contains(t, escapedBracket) {
					t = e.Value.Value()
				}
			case encoded && (hasPath || mayEncodePlaceholder(t)):
				t, _ = base64.StdEncoding.DecodeString(e.Value.StringValue())
			default:
				continue
			}
			if hasPlaceholder(t, hasPath) {
				return true
			}
		}
	}
	return false
}

// asksForPlaceholders reports whether versions can be asked for of what placeholders in an object name.
func asksForPlaceholders(kind string, node manifest.Node) bool {
	return node.Valid() && !isSOPS(node) && manifest.Object{Node: node}.Annotation(vaultPluginIgnore) != "true" &&
		mayHavePlaceholders(kind, node)
}

// escapedBracket is how Go's JSON encoder writes "<".
var escapedBracket = []byte(`\u003c`)

// mayEncodePlaceholder reports whether base64 may hold the beginning of a placeholder, which has three forms there by
// where it begins.
func mayEncodePlaceholder(t []byte) bool {
	for _, form := range [...]string{"PHBhdGg6", "xwYXRoO", "8cGF0aD", "PHNlY3JldD", "xzZWNyZXQ6", "8c2VjcmV0O"} {
		if bytes.Contains(t, []byte(form)) {
			return true
		}
	}
	return false
}

// hasPlaceholder reports whether text holds a placeholder. Any word in angle brackets is one where a path is known.
func hasPlaceholder(text []byte, hasPath bool) bool {
	return hasBracket(text, "<path:") || hasBracket(text, "<secret:") || hasPath && hasBracket(text, "<")
}

// hasBracket reports whether text holds the beginning of a bracket, something, and ">".
func hasBracket(text []byte, begin string) bool {
	for {
		i := bytes.Index(text, []byte(begin))
		if i < 0 {
			return false
		}
		text = text[i+len(begin):]
		if end := bytes.IndexByte(text, '>'); end != 0 {
			return end > 0
		}
	}
}

// The forms of a placeholder that name a place for sure: others could be text in brackets, which may be a part of a
// Secret's value.
var (
	inlinePlaceholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<path:\s*([^#<>|\s]+)#([^#<>|\s]+)(?:#([^#<>|\s]+))?\s*(?:\|[^<>]*)?>`)
	})
	genericPlaceholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<\s*([A-Za-z0-9_.-]+)\s*(?:\|[^<>]*)?>`)
	})
)

// places returns the places that placeholders in a value name, each once, with their store if that is wanted.
func (p *placeholders) places(text string, withStore bool) (out []sources.Ref) {
	add := func(r sources.Ref) {
		if withStore {
			r = p.inStore(r)
		}
		if !slices.ContainsFunc(out, func(other sources.Ref) bool { return other.Place() == r.Place() }) {
			out = append(out, r)
		}
	}
	for _, m := range inlinePlaceholder().FindAllStringSubmatch(text, -1) {
		add(sources.Ref{Key: m[1], Property: m[2], Version: m[3]})
	}
	if !p.hasPath() || strings.Contains(text, "<path:") {
		return out
	}
	for _, m := range genericPlaceholder().FindAllStringSubmatch(text, -1) {
		add(sources.Ref{Key: p.notes[0].Text, Property: m[1], Version: p.notes[1].Text})
	}
	return out
}

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// inStore returns a place with its store, which is the one of the plugin: its environment says what that is, and for us
// a rule of the operator. The version is as other references have it.
func (p *placeholders) inStore(r sources.Ref) sources.Ref {
	r.Store = sources.Store{Kind: sources.Placeholders, Name: "default"}
	switch {
	case r.Version == "latest", p.notes[2].Text == "1":
		r.Version = ""
	case uuid().MatchString(r.Version):
		r.Version = "uuid/" + r.Version
	}
	return r
}
