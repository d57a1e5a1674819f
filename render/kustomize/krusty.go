package kustomize

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render/kustomize/output"
)

// stockVersion is what the kustomize command of our library's release writes into the managed-by label. The library
// would write rollstamp's own version.
const stockVersion = "v5.8.2"

// krustyBuilder builds with kustomize's own library.
type krustyBuilder struct{ opts krusty.Options }

func (b krustyBuilder) build(t *tree, p *plan) (product, error) {
	defer schema.enter(p.ofLibrary())()
	return b.buildEntered(t, p)
}

// buildEntered is build for who has entered the schema already.
func (b krustyBuilder) buildEntered(t *tree, p *plan) (out product, err error) {
	defer libraryOutput.drop()()
	out = product{read: slices.Collect(maps.Values(p.read))}
	if p.hasVariables() {
		names := loggedVariables.collect()
		defer func() { out.unused = names() }()
	}
	out.text, err = b.text(t, p)
	return out, err
}

func (b krustyBuilder) text(t *tree, p *plan) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, failures{t, p.read}.of(fmt.Errorf("kustomize panicked: %v", r))
		}
		// A reason to refuse counts even where kustomize went on without the file.
		if t.refusal != nil {
			text, err = nil, t.refusal
		}
	}()
	opts := b.opts
	sorted := p.root.kust.SortOptions == nil && opts.Reorder != krusty.ReorderOptionNone
	if sorted {
		opts.Reorder = krusty.ReorderOptionNone
	}
	if err := p.checkConfigs(t, &opts); err != nil {
		return nil, err
	}
	rs, err := objectsOfBuild(t, p, opts)
	if err == nil && sorted && haveTwins(rs) {
		_, err = krusty.MakeKustomizer(&b.opts).Run(t, t.app) // its own sort ends with an error
	}
	if err != nil {
		return nil, failures{t, p.read}.of(err)
	}
	if t.req.Kustomize.Overlay != nil {
		if err := checkHeads(t, rs); err != nil {
			return nil, err
		}
	}
	if sorted {
		rs = output.Sort(rs)
	}
	if err := p.finish(t, rs); err != nil {
		return nil, failures{t, p.read}.of(err)
	}
	text, err = output.Print(rs)
	if err != nil {
		return nil, failures{t, p.read}.of(err)
	}
	return text, nil
}

// objectsOfBuild returns what the library builds, by the faster way where that is known to come to the same.
func objectsOfBuild(t *tree, p *plan, opts krusty.Options) ([]*resource.Resource, error) {
	if d := newDirect(t, p, directCost); d != nil {
		if rs, ok := d.build(opts); ok {
			return rs, nil
		}
	}
	m, err := krusty.MakeKustomizer(&opts).Run(t, t.app)
	if err != nil {
		return nil, err
	}
	return m.Resources(), nil
}

// haveTwins reports whether two objects have one name, which patches can come to.
func haveTwins(rs []*resource.Resource) bool {
	seen := make(map[resid.ResId]bool, len(rs))
	for _, r := range rs {
		id := r.CurId()
		id.Namespace = id.EffectiveNamespace()
		if seen[id] {
			return true
		}
		seen[id] = true
	}
	return false
}

// checkHeads refuses an object without a name, kind or apiVersion, as kustomize-controller does.
func checkHeads(t *tree, rs []*resource.Resource) error {
	for _, r := range rs {
		if r.GetName() == "" || r.GetKind() == "" || r.GetApiVersion() == "" {
			return diag.Input(diag.Position{File: t.req.Path},
				fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name of %s", r.CurId()), "")
		}
	}
	return nil
}

// checkConfigs builds the plugin configurations that lie in kustomizations, as kustomize will, to see what they ask
// for.
func (p *plan) checkConfigs(t *tree, opts *krusty.Options) error {
	for _, c := range p.configs {
		m, err := krusty.MakeKustomizer(opts).Run(t, c.dir)
		if err != nil {
			return failures{t, p.read}.of(err)
		}
		if err := (gate{t}).checkPlugins(c.of, c.field, c.entry, m.Resources()); err != nil {
			return err
		}
		if slices.ContainsFunc(m.Resources(), func(r *resource.Resource) bool { return r.GetKind() == chartKind }) {
			return c.of.errorf(c.entry, "load %q of %s: a %s has to be in a file of its own", c.entry, c.field, chartKind)
		}
	}
	return nil
}

// finish writes what the command would have written where the library, run by us, wrote something else.
func (p *plan) finish(t *tree, rs []*resource.Resource) error {
	options := p.root.kust.BuildMetadata
	for _, r := range rs {
		if slices.Contains(options, types.ManagedByLabelOption) {
			labels := r.GetLabels()
			labels[konfig.ManagedbyLabelKey] = "kustomize-" + stockVersion
			if err := r.SetLabels(labels); err != nil {
				return err
			}
		}
		if slices.Contains(options, types.OriginAnnotations) || slices.Contains(options, types.TransformerAnnotations) {
			if err := t.names.trueOrigins(r); err != nil {
				return err
			}
		}
	}
	return nil
}
