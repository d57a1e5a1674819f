package shape

import (
	"cmp"
	"context"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// walk reads the documents of a text and visits each object.
func walk(ctx context.Context, text []byte, visit func(o manifest.Object)) error {
	return eachDocument(ctx, text, func(d *manifest.Document) error {
		for o := range d.Objects() {
			visit(o)
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

// itemsByOffset returns the indexes of the items of a List by where they begin.
func itemsByOffset(list manifest.Node) map[int]int {
	out, i := map[int]int{}, 0
	for item := range list.Get("items").Items() {
		out[item.Offset()] = i
		i++
	}
	return out
}

// namespaceOf returns the namespace of an object in a render.
func namespaceOf(out *render.Output, s *config.Settings, o manifest.Object) string {
	return cmp.Or(o.Namespace, string(s.Namespace.Value), out.Namespace)
}
