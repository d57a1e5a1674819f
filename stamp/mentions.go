package stamp

import (
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// mentions is one walk through a text for words that could be the name of a Secret which is to be renamed.
type mentions struct {
	names  map[string][]*suffix
	known  map[int]bool // places that are no mention
	prefix hashing.Prefix
	in     manifest.Object
	plain  bool // of a kind whose fields are known
}

// blockMentioned blocks the renaming of what is named in other places than references. Better one name too many stays
// than one reference keeps an old name.
func blockMentioned(in *Input, names map[*objects.Producer]*suffix, prefix hashing.Prefix) error {
	m := &mentions{names: map[string][]*suffix{}, known: map[int]bool{}, prefix: prefix}
	for _, s := range names {
		for _, name := range []string{s.object.Name, s.current} {
			m.names[name] = append(m.names[name], s)
		}
		m.known[s.node.At(target...).Get("name").Offset()] = true
	}
	for _, w := range in.workloads {
		for _, t := range w.templates {
			for _, r := range t.references {
				if r.Kind == refs.Secret && !t.fixed {
					m.known[r.NameOffset] = true
				}
			}
		}
	}
	text := manifest.NewReader(in.out.Text)
	for {
		d, err := text.Next()
		if err != nil || d == nil {
			return in.positions.Move(err)
		}
		for o := range d.Objects() {
			m.in, m.plain = o, len(in.table.Rows(o)) > 0 || isKnownGroup(o.Group())
			m.walk(o.Node, "", "")
		}
	}
}

func isKnownGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") || group == "external-secrets.io"
}

// otherNames are fields of known kinds that name something else than a Secret.
var otherNames = map[string]bool{
	"selector": true, "matchLabels": true, "serviceName": true, "serviceAccountName": true, "serviceAccount": true,
	"claimName": true, "image": true, "configMap": true, "configMapRef": true, "configMapKeyRef": true,
	"remoteRef": true, "extract": true,
	"secretStoreRef": true, "storeRef": true, "containerName": true, "scaleTargetRef": true, "service": true,
	"roleRef": true, "secretKey": true,
	"workloadRef": true, "ports": true, "volumeMounts": true,
}

// listsOfNamed are lists whose items have names of their own.
var listsOfNamed = map[string]bool{
	"containers": true, "initContainers": true, "ephemeralContainers": true, "volumes": true, "env": true,
	"volumeClaimTemplates": true,
}

// walk goes through the value of a field, which is below another.
func (m *mentions) walk(n manifest.Node, field, above string) {
	for item := range n.Items() {
		m.walk(item, "", field)
	}
	for k, v := range n.Entries() {
		key := k.Text()
		switch {
		case key == "kind" || key == "apiVersion":
		case field == "metadata" && (key == "name" || key == "namespace" || key == "generateName" || key == "labels"):
		case m.prefix.Has(key):
		case m.plain && (otherNames[key] || key == "name" && field == "" && listsOfNamed[above]):
		case key == "data" && m.in.Kind == refs.Secret && m.in.APIVersion == "v1": // base64
		default:
			if !m.plain || field == "annotations" {
				m.block(k)
			}
			m.walk(v, key, field)
		}
	}
	if n.IsScalar() && !m.known[n.Offset()] {
		m.block(n)
	}
}

// block blocks what the words of a text name.
func (m *mentions) block(n manifest.Node) {
	for word := range strings.FieldsFuncSeq(n.Text(), isNoName) {
		for _, s := range m.names[strings.Trim(word, "-.")] {
			s.block(n.Offset(), m.in.String()+" mentions it")
		}
	}
}

func isNoName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.'
}
