package shape

import (
	"cmp"
	"context"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// walk reads the documents of a text and visits each object with its index in its document.
func walk(
	ctx context.Context, text []byte, visit func(d *manifest.Document, o manifest.Object, index int) error,
) error {
	return eachDocument(ctx, text, func(d *manifest.Document) error {
		i := 0
		for o := range d.Objects() {
			if err := visit(d, o, i); err != nil {
				return err
			}
			i++
		}
		return nil
	})
}

// eachDocument reads the documents of a text.
func eachDocument(ctx context.Context, text []byte, visit func(*manifest.Document) error) error {
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err == nil {
			err = ctx.Err()
		}
		if d == nil || err != nil {
			return err
		}
		if err := visit(d); err != nil {
			return err
		}
	}
}

// objectAt returns the object of an index in a document; the zero one where there are fewer.
func objectAt(root manifest.Node, index int) manifest.Object {
	i := 0
	for o := range root.Document().Objects() {
		if i == index {
			return o
		}
		i++
	}
	return manifest.Object{}
}

// namespaceOf returns the namespace of an object in a render.
func namespaceOf(out *render.Output, s *config.Settings, o manifest.Object) string {
	return cmp.Or(o.Namespace, string(s.Namespace.Value), out.Namespace)
}
