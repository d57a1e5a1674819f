package rounds

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/render"
)

// beside has objects looked up in what the Kustomization applies that applies a HelmRelease: an ExternalSecret or a
// generated ConfigMap lies there, and the chart's workloads read what it produces. Nothing of it is stamped. What is
// applied to another cluster finds nothing there.
func beside(m *member) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		if m.parent == nil || m.parent.output == nil || m.kubeConfig() != nil {
			return out, nil
		}
		of := *m.parent.output
		of.Namespace = m.parent.namespace()
		with := *out
		with.Context = append(slices.Clip(out.Context), &of)
		with.Inputs = slices.Concat(out.Inputs, of.Inputs)
		slices.Sort(with.Inputs)
		with.Inputs = slices.Compact(with.Inputs)
		return &with, nil
	}
}

// isBesideSame reports whether what a member has objects looked up in is the same as in another state of the files.
func (m *member) isBesideSame() bool {
	return m.release == nil || m.parent == nil || m.parent.unchanged
}
