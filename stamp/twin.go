package stamp

import (
	"context"
	"errors"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// compareTwin finds the keys that another render of the same input gives other values.
func (w *work) compareTwin(ctx context.Context, twin []byte, namespace string, level int) error {
	if twin == nil {
		return nil
	}
	other := sources.NewIndex(namespace, level, w.settings.Producers.Value)
	other.Base(withoutSuffix)
	r := manifest.NewReader(twin)
	for {
		d, err := r.Next()
		if err != nil {
			return errors.Join(errors.New("read the second render"), err)
		}
		if d == nil {
			break
		}
		keep := sync.OnceValue(d.Clone)
		for o := range d.Objects() {
			other.Add(o, keep)
		}
	}
	w.unstable = map[*sources.Object]map[string]bool{}
	for o := range w.index.All() {
		for _, key := range o.Differing(other.Exact(o.Kind, o.Namespace, o.Name)) {
			if w.unstable[o] == nil {
				w.unstable[o] = map[string]bool{}
			}
			w.unstable[o][key] = true
			w.find(diag.New(diag.UnstableKey, o.String(), "the value of key "+quote(key)+" differs from one render to the next").WithKey(key), o.Offset)
		}
	}
	return ctx.Err()
}
