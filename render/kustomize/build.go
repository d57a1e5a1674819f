package kustomize

// build is one kustomization, read and ready to be built, once or twice.
type build struct {
	builder builder
	tree    *tree
	plan    *plan
	charts  inflater
}

// run renders the charts and then the kustomization. random reports that a second run may return another text.
func (b build) run() (text []byte, random bool, err error) {
	if len(b.plan.withCharts) > 0 || len(b.charts.fetch.replacements) > 0 {
		b.show(newInjection(nil)) // instead of what an earlier run was shown
		in, varies, err := b.charts.inject(b.plan)
		if err != nil {
			return nil, false, err
		}
		b.show(in)
		random = varies
	}
	text, err = b.builder.build(b.tree, b.plan)
	return text, random, err
}

// show lays an injection over the files.
func (b build) show(in *injection) {
	b.tree.overlay.Use(in.layer)
	b.tree.names.components = in.components
}
