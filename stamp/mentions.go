package stamp

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
)

// mentions is one walk through a text for words that could be the name of an object which is to be renamed.
type mentions struct {
	names  map[string][]*suffix
	known  map[int]bool // places that are no mention
	prefix hashing.Prefix
	in     manifest.Object
	plain  bool // of a kind whose fields are known

	inContext bool

	decoded []byte // memory for what is in base64
}

// blockMentioned blocks the renaming of what is named in other places than references, and of what the context names,
// which keeps the name that it has. Better one name too many stays than one reference keeps an old name.
func (n *renamer) blockMentioned() error {
	in, m := n.run.in, n.mentions()
	if len(m.names) == 0 {
		return nil
	}
	own := map[identity]bool{}
	if err := m.walkText(in, in.out.Text, func(o *manifest.Object) bool {
		own[identityOf(*o, in.out)] = true
		return true
	}); err != nil {
		return in.positions.Move(err)
	}
	m.known, m.inContext = nil, true
	for _, c := range in.out.Context {
		if err := m.walkText(in, c.Text, func(o *manifest.Object) bool {
			id := identityOf(*o, c)
			o.Namespace = id.namespace
			return !own[id]
		}); err != nil {
			return fmt.Errorf("read the context: %w", render.NewPlaces(c.Text, c.Origins).Move(err))
		}
	}
	return nil
}

// mentions returns a walk for the names of what is to be renamed, to which references are no mention.
func (n *renamer) mentions() *mentions {
	m := &mentions{names: map[string][]*suffix{}, known: n.replaced, prefix: n.run.prefix}
	for _, s := range n.all {
		if s.rendered && !n.renders || !s.rendered && !n.refreshes {
			continue
		}
		for _, name := range slices.Compact([]string{s.object.Name, s.current}) {
			m.names[name] = append(m.names[name], s)
		}
		if !s.rendered {
			m.known[s.node.At(target...).Get("name").Offset()] = true
		}
	}
	for _, w := range n.run.in.workloads {
		for _, t := range w.templates {
			for _, r := range t.references {
				if !t.fixed {
					m.known[r.NameOffset] = true
				}
			}
		}
	}
	return m
}

// identity is what an object is known by, wherever it was rendered; a namespace that is not known is "".
type identity struct{ group, kind, namespace, name string }

func identityOf(o manifest.Object, of *render.Output) identity {
	return identity{o.Group(), o.Kind, namespaceIn(o, of), o.Name}
}

// walkText walks through the objects of a text that are wanted.
func (m *mentions) walkText(in *Input, text []byte, isWanted func(*manifest.Object) bool) error {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return err
		}
		for o := range d.Objects() {
			if IsEarlier(o) || !isWanted(&o) {
				continue
			}
			m.in, m.plain = o, len(in.table.Rows(o)) > 0 || isKnownGroup(o.Group())
			m.walk(o.Node, field{})
		}
	}
}

func isKnownGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") || group == "external-secrets.io"
}

// walk goes through the value of a field.
func (m *mentions) walk(n manifest.Node, f field) {
	for item := range n.Items() {
		m.walk(item, f.item())
	}
	for k, v := range n.Entries() {
		key := k.Text()
		switch {
		case f.content:
			m.walk(v, f.below(key))
		case key == "kind" || key == "apiVersion":
		case f.name == "metadata" && (key == "name" || key == "namespace" || key == "generateName" || key == "labels"):
		case m.prefix.Has(key), f.name == "annotations" && strings.HasPrefix(key, redact.AddedPrefix):
		case m.plain && key == "name" && f.name == "" && listsOfNamed[f.above]:
		default:
			below := f.below(key)
			if namesOther(m.in.Group(), key, m.plain) {
				below.kind = otherKind
			}
			if kind := kindBeside(n, key); kind != "" {
				below.kind = kind
			}
			if f.name == "" && m.isContent(key) {
				below.content, below.encoded = true, m.isEncoded(key)
			}
			if !m.plain || f.name == "annotations" {
				m.block(k, f)
			}
			m.walk(v, below)
		}
	}
	if n.IsScalar() && !m.known[n.Offset()] {
		m.block(n, f)
	}
}

// isContent reports whether a field of the object holds what pods read.
func (m *mentions) isContent(key string) bool {
	return m.in.APIVersion == "v1" && (m.in.Kind == refs.ConfigMap || m.in.Kind == refs.Secret) &&
		(key == "data" || key == "stringData" || key == "binaryData")
}

// isEncoded reports whether a field with content holds it in base64.
func (m *mentions) isEncoded(key string) bool {
	return key == "binaryData" || key == "data" && m.in.Kind == refs.Secret
}

// block blocks what the words of a text name.
func (m *mentions) block(n manifest.Node, f field) {
	text := n.Text()
	if f.encoded {
		// What is no base64 is reported where it is read.
		m.decoded, _ = base64.StdEncoding.AppendDecode(m.decoded[:0], []byte(text))
		text = string(m.decoded)
	}
	said := ""
	for word := range strings.FieldsFuncSeq(text, isNoName) {
		for _, s := range m.names[strings.Trim(word, "-.")] {
			if said == "" && f.content {
				said = strings.ToLower(text)
			}
			switch {
			case !s.mayBeMeant(said, f):
			case !m.inContext:
				s.block(n.Offset(), m.in.String()+" mentions it")
			case m.in.Namespace == "" || s.object.Namespace == "" || m.in.Namespace == s.object.Namespace:
				s.block(0, m.in.String()+" names it, which is context and stays as it is")
			}
		}
	}
}

// mayBeMeant reports whether a text in which the name of an object stands can mean the object. Said is the text
// of content, in lower case.
func (s *suffix) mayBeMeant(said string, f field) bool {
	switch {
	case f.kind != "" && f.kind != s.object.Kind:
		return false
	case s.rendered && f.content: // programs call many things by the name of an application
		return strings.Contains(said, strings.ToLower(s.object.Kind)) || strings.Contains(said, "kubectl")
	}
	return true
}

func isNoName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.'
}
