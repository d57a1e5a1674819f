package fleet

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
)

// nameFields is one walk through an object for the fields that usually name a ConfigMap or Secret.
type nameFields struct {
	object    manifest.Object
	namespace string
	visit     func(o manifest.Object, kind, namespace, name string)
}

// eachName calls visit with what the objects of a render name that are no workloads: in fields that usually name a
// ConfigMap or Secret, in the rules of roles, and in annotations.
func eachName(
	a *app.Application, out *render.Output, visit func(o manifest.Object, kind, namespace, name string),
) error {
	kinds, home := refs.NewTable(config.MaxLevel, a.Settings().Kinds.Value), out.Namespace
	for reader := manifest.NewReader(out.Text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return err
		}
		for o := range d.Objects() {
			if len(kinds.Rows(o)) > 0 || o.Group() == "" && (o.Kind == refs.ConfigMap || o.Kind == refs.Secret) {
				continue
			}
			w := &nameFields{o, cmp.Or(o.Namespace, home), visit}
			w.walk(o.Node, "")
			w.annotations(o.Node.At("metadata", "annotations"))
		}
	}
}

// walk visits what is named in the value of a field that names a kind; "" is a field that names none.
func (w *nameFields) walk(n manifest.Node, kind string) {
	for item := range n.Items() {
		w.walk(item, kind)
	}
	if n.IsScalar() && kind != "" {
		w.visit(w.object, kind, w.namespace, n.StringValue())
	}
	other := n.Get("kind").StringValue()
	for k, v := range n.Entries() {
		switch key := k.Text(); {
		case key == "metadata" || key == "status":
		case key == "resourceNames":
			for _, named := range refs.KindsOfResources(n.Get("resources")) {
				w.walk(v, named)
			}
		case key == "certificateRefs":
			w.walk(v, refs.Secret)
		case (key == "name" || key == "secretName") && v.IsScalar():
			if kind != "" && (other == "" || other == kind) {
				namespace := cmp.Or(n.Get("namespace").StringValue(), w.namespace)
				w.visit(w.object, kind, namespace, v.StringValue())
			} else if key == "secretName" {
				w.visit(w.object, refs.Secret, w.namespace, v.StringValue())
			}
		case v.IsScalar():
			w.walk(v, refs.KindNamedBy(key))
		default:
			w.walk(v, cmp.Or(refs.KindNamedBy(key), kind))
		}
	}
}

// annotations visits what annotations name, as NAME or NAMESPACE/NAME.
func (w *nameFields) annotations(all manifest.Node) {
	for k, v := range all.Entries() {
		kind := ""
		switch key := strings.ToLower(k.Text()); {
		case strings.Contains(key, "secret"):
			kind = refs.Secret
		case strings.Contains(key, "configmap"), strings.Contains(key, "config-map"):
			kind = refs.ConfigMap
		default:
			continue
		}
		namespace, name, ok := strings.Cut(v.StringValue(), "/")
		if !ok {
			namespace, name = w.namespace, namespace
		}
		w.visit(w.object, kind, namespace, name)
	}
}
