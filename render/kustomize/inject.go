package kustomize

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// How rendered charts get into a build.
//
// kustomize first accumulates a kustomization's resources, then what its generators make: config maps, secrets, the
// entries of helmCharts, and what generators: names, in this order. Then come its components, which add to what is there
// before any transformer runs. So a kustomization with charts is shown to kustomize without them, and with a component
// before all others that holds the rendered text as a resource: it lands in the same place. Generators that come after a
// chart move into components of their own, which are mirrors of the folder, so that their paths mean the same there.
//
// One difference is left: a generator refuses an object whose identity another has had before it was renamed; a
// component does not.

// inject renders the charts of all kustomizations and lays the results over the tree.
func (e Engine) inject(ctx context.Context, t *tree, p *plan) (random bool, err error) {
	t.overlay = newOverlay(t.overlay.remotes)
	for dir := range t.overlay.instead {
		if k := t.kusts[dir]; len(k.visits) == 0 {
			if err := t.overlay.showText(k, k.generators, nil); err != nil {
				return false, err
			}
		}
	}
	for _, k := range p.withCharts {
		texts := make(map[string][][]byte) // by namespace
		for _, v := range k.visits {
			if _, done := texts[v.namespace]; !done {
				all, varies, err := e.inflateAll(ctx, t, k, v.namespace)
				if err != nil {
					return false, err
				}
				texts[v.namespace] = all
				random = random || varies
			}
			if err := t.overlay.show(k, v, texts[v.namespace]); err != nil {
				return false, err
			}
		}
	}
	return random, t.checkSelfReference()
}

// checkSelfReference refuses a kustomization that is data, too, where kustomize would see what was made of it.
func (t *tree) checkSelfReference() error {
	for _, k := range t.kusts {
		for _, f := range k.files() {
			if _, both := t.overlay.kusts[filepath.Join(k.dir, f.path)]; both {
				return k.errorf(f.path, "read %q of %s: it is a kustomization with charts or remote parts, which cannot be data", f.path, f.field)
			}
		}
	}
	return nil
}

// inflateAll renders the charts of a kustomization for one of its visits.
func (e Engine) inflateAll(ctx context.Context, t *tree, k *kustomization, namespace string) (texts [][]byte, random bool, err error) {
	for _, g := range k.generators {
		if g.chart == nil {
			continue
		}
		ns := ""
		if g.form == listed { // a generator's configuration stands for itself
			ns = cmp.Or(k.kust.Namespace, namespace)
		}
		text, varies, err := e.inflate(ctx, t, g.chart, ns)
		if err != nil {
			return nil, false, err
		}
		if err := checkAliases(text); err != nil {
			return nil, false, g.chart.errorf("%w", err)
		}
		marked, err := asGenerated(text)
		if err != nil {
			return nil, false, g.chart.errorf("%s", t.calm(err, text))
		}
		texts = append(texts, marked)
		random = random || varies
	}
	return texts, random, nil
}

// asGenerated marks every object of a rendered chart as kustomize does, which exempts it from the namespace transformer.
func asGenerated(text []byte) ([]byte, error) {
	factory := resmap.NewFactory(provider.NewDepProvider().GetResourceFactory())
	m, err := factory.NewResMapFromBytes(text)
	if err != nil {
		// kustomize's second try, which forgives text before the first document.
		nodes, again := (&kio.ByteReader{Reader: bytes.NewReader(text), OmitReaderAnnotations: true}).Read()
		if again != nil || len(nodes) == 0 {
			return nil, err
		}
		if m, err = factory.NewResMapFromRNodeSlice(nodes); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	for _, r := range m.Resources() {
		if err := r.PipeE(yaml.SetAnnotation(konfig.HelmGeneratedAnnotation, "true")); err != nil {
			return nil, err
		}
		doc, err := printed(&r.RNode)
		if err != nil {
			return nil, err
		}
		buf.WriteString("---\n" + doc)
	}
	return buf.Bytes(), nil
}

// printed returns the text of an object, which kustomize will read and print once more. Folded scalars gain line feeds each time
// that the YAML library prints them; kustomize itself prints a chart's objects once, so here they become quoted after the first time.
func printed(n *yaml.RNode) (string, error) {
	doc, err := n.String()
	if err != nil || !fold(n.YNode(), 0) {
		return doc, err
	}
	again, err := yaml.Parse(doc)
	if err != nil {
		return "", err
	}
	fold(again.YNode(), yaml.DoubleQuotedStyle)
	return again.String()
}

// fold reports whether folded scalars are at or below a node, and returns them another style, if any.
func fold(n *yaml.Node, style yaml.Style) (found bool) {
	if n.Kind == yaml.ScalarNode && n.Style&yaml.FoldedStyle != 0 {
		if style != 0 {
			n.Style = style
		}
		return true
	}
	for _, c := range n.Content {
		found = fold(c, style) || found
	}
	return found
}
