package stamp

import (
	"context"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// mention is one walk through the text for words that could be the name of a Secret which is to be renamed.
type mention struct {
	names map[string][]*renaming
	known map[int]bool // places that are no mention
	in    manifest.Object
	plain bool // of a kind whose fields are known
}

// mentions blocks what is named in other places than references. Better one name too many stays than one reference behind.
func (w *work) mentions(ctx context.Context) error {
	m := &mention{names: map[string][]*renaming{}, known: map[int]bool{}}
	for _, r := range w.renamings {
		for _, name := range []string{r.object.Name, r.current} {
			m.names[name] = append(m.names[name], r)
		}
		m.known[r.node.At(target...).Get("name").Offset()] = true
	}
	for _, wl := range w.workloads {
		for _, t := range wl.templates {
			for _, r := range t.references {
				if r.Kind == refs.Secret && !t.fixed {
					m.known[r.NameOffset] = true
				}
			}
		}
	}
	text := manifest.NewReader(w.plan.text)
	for {
		d, err := text.Next()
		if err != nil || d == nil {
			return w.places.Move(err)
		}
		for o := range d.Objects() {
			m.in, m.plain = o, len(w.table.Rows(o)) > 0 || knownGroup(o.Group())
			m.walk(o.Node, "", "")
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func knownGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") || group == "external-secrets.io"
}

// otherNames are fields of known kinds that name something else than a Secret.
var otherNames = map[string]bool{"selector": true, "matchLabels": true, "serviceName": true, "serviceAccountName": true, "serviceAccount": true,
	"claimName": true, "image": true, "configMap": true, "configMapRef": true, "configMapKeyRef": true, "remoteRef": true, "extract": true,
	"secretStoreRef": true, "storeRef": true, "containerName": true, "scaleTargetRef": true, "service": true, "roleRef": true, "secretKey": true,
	"workloadRef": true, "ports": true, "volumeMounts": true}

// named are lists whose items have names of their own.
var named = map[string]bool{"containers": true, "initContainers": true, "ephemeralContainers": true, "volumes": true, "env": true,
	"volumeClaimTemplates": true}

// walk goes through a value that stands under a field, which stands under another.
func (m *mention) walk(n manifest.Node, field, above string) {
	for item := range n.Items() {
		m.walk(item, "", field)
	}
	for k, v := range n.Entries() {
		key := k.Text()
		switch {
		case key == "kind" || key == "apiVersion":
		case field == "metadata" && (key == "name" || key == "namespace" || key == "generateName" || key == "labels"):
		case strings.HasPrefix(key, hashing.Prefix):
		case m.plain && (otherNames[key] || key == "name" && field == "" && named[above]):
		case key == "data" && m.in.Kind == refs.Secret && m.in.APIVersion == "v1": // base64
		default:
			if !m.plain || field == "annotations" {
				m.words(k)
			}
			m.walk(v, key, field)
		}
	}
	if n.IsScalar() && !m.known[n.Offset()] {
		m.words(n)
	}
}

// words looks for names in a text.
func (m *mention) words(n manifest.Node) {
	for word := range strings.FieldsFuncSeq(n.Text(), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.'
	}) {
		for _, r := range m.names[strings.Trim(word, "-.")] {
			r.block(n.Offset(), m.in.String()+" mentions it")
		}
	}
}
