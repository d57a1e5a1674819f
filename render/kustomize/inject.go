package kustomize

import (
	"bytes"
	"cmp"
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
// entries of helmCharts, and what generators: names, in this order. Then come its components, which add to what is
// there before any transformer runs. So a kustomization with charts is shown to kustomize without them, and with a
// component before all others that holds the rendered text as a resource: it lands in the same place. Generators that
// come after a chart move into components of their own, which are mirrors of the folder, so that their paths mean the
// same there.
//
// One difference is left: a generator refuses an object whose identity another has had before it was renamed; a
// component does not.

// inject renders the charts of all kustomizations and prepares what the build is shown.
func (i *inflater) inject(p *plan) (in *injection, random bool, err error) {
	in = newInjection(i.fetch.replacements)
	for dir := range in.replacements {
		if k := p.read[dir]; len(k.visits) == 0 {
			if err := in.showText(k, k.generators, nil); err != nil {
				return nil, false, err
			}
		}
	}
	for _, k := range p.withCharts {
		all := make(map[string]inflated) // by namespace
		for _, v := range k.visits {
			if _, done := all[v.namespace]; !done {
				one, varies, err := i.inflateAll(k, v.namespace)
				if err != nil {
					return nil, false, err
				}
				all[v.namespace] = one
				in.charted[chartsOf{k.dir, v.namespace}] = one.objects
				random = random || varies
			}
			if err := in.show(k, v, all[v.namespace].texts); err != nil {
				return nil, false, err
			}
		}
	}
	return in, random, in.checkSelfReference(p.read)
}

// checkSelfReference refuses a kustomization that is data, too, where kustomize would see what was made of it.
func (in *injection) checkSelfReference(all kustomizations) error {
	for _, k := range all {
		for _, f := range k.files() {
			if _, both := in.layer.Shown[filepath.Join(k.dir, f.path)]; both {
				return k.errorf(f.path, "read %q of %s: it is a kustomization with charts or remote parts, which cannot be data",
					f.path, f.field)
			}
		}
	}
	return nil
}

// inflated is what the charts of a kustomization are rendered to for one of its visits.
type inflated struct {
	texts   [][]byte // one for each chart
	objects []object // of all of them
}

// inflateAll renders the charts of a kustomization for one of its visits.
func (i *inflater) inflateAll(k *kustomization, namespace string) (all inflated, random bool, err error) {
	for _, g := range k.generators {
		if g.chart == nil {
			continue
		}
		ns := ""
		if g.form == listed { // a generator's configuration names its own
			ns = cmp.Or(k.kust.Namespace, namespace)
		}
		text, varies, err := i.inflate(g.chart, ns)
		if err != nil {
			return inflated{}, false, err
		}
		if err := checkAliases(text); err != nil {
			return inflated{}, false, g.chart.errorf("%w", err)
		}
		marked, objects, err := markGenerated(text, g.file)
		if err != nil {
			return inflated{}, false, g.chart.errorf("%s", i.failures.text(err, text))
		}
		all.texts, all.objects = append(all.texts, marked), append(all.objects, objects...)
		random = random || varies
	}
	return all, random, nil
}

// markGenerated marks every object of a rendered chart as kustomize does, which exempts it from the namespace
// transformer. It returns the objects, too, with the file that asks for the chart.
func markGenerated(text []byte, file string) (marked []byte, all []object, err error) {
	factory := resmap.NewFactory(provider.NewDepProvider().GetResourceFactory())
	m, err := factory.NewResMapFromBytes(text)
	if err != nil {
		// kustomize's second try, which forgives text before the first document.
		nodes, again := (&kio.ByteReader{Reader: bytes.NewReader(text), OmitReaderAnnotations: true}).Read()
		if again != nil || len(nodes) == 0 {
			return nil, nil, err
		}
		if m, err = factory.NewResMapFromRNodeSlice(nodes); err != nil {
			return nil, nil, err
		}
	}
	var buf bytes.Buffer
	for _, r := range m.Resources() {
		if err := r.PipeE(yaml.SetAnnotation(konfig.HelmGeneratedAnnotation, "true")); err != nil {
			return nil, nil, err
		}
		doc, err := printStable(&r.RNode)
		if err != nil {
			return nil, nil, err
		}
		buf.WriteString("---\n" + doc)
		all = append(all, object{group: r.GetGvk().Group, kind: r.GetKind(), name: r.GetName(), original: r.GetName(),
			own: r.GetNamespace(), namespace: r.GetNamespace(), file: file, charted: true})
	}
	return buf.Bytes(), all, nil
}

// printStable returns the text of an object, which kustomize will read and print once more. Folded scalars gain line
// feeds each time that the YAML library prints them; kustomize itself prints a chart's objects once, so here they
// become quoted after the first time.
func printStable(n *yaml.RNode) (string, error) {
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

// fold reports whether folded scalars are at or below a node, and sets another style, if any.
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
