package kustomize

// build is one kustomization, read and ready to be built, once or twice.
type build struct {
	builder builder
	tree    *tree
	plan    *plan
	charts  inflater
}

// built is what a kustomization is built to.
type built struct {
	product
	random  bool                  // a second run may return another text
	charted map[chartsOf][]object // see injection
}

// run renders the charts and then the kustomization.
func (b build) run() (out built, err error) {
	if len(b.plan.withCharts) > 0 || len(b.charts.fetch.replacements) > 0 {
		b.show(newInjection(nil)) // instead of what an earlier run was shown
		leave := schema.enter(schemaUnused)
		in, varies, err := b.charts.inject(b.plan)
		leave()
		if err != nil {
			return built{}, err
		}
		b.show(in)
		out.random, out.charted = varies, in.charted
	}
	out.product, err = b.builder.build(b.tree, b.plan)
	return out, err
}

// show lays an injection over the files.
func (b build) show(in *injection) {
	b.tree.overlay.Use(in.layer)
	b.tree.names.components = in.components
}
