package native

import (
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
)

// patches applies the field patches.
func (b *builder) patches(k *Kustomization, l *list) error {
	for _, p := range k.Patches {
		t := builtins.NewPatchTransformerPlugin()
		if err := b.configure(k, t, p); err != nil {
			return err
		}
		if p.Target != nil {
			if err := b.patchSelected(t, l, *p.Target); err != nil {
				return err
			}
			continue
		}
		text, err := b.patchText(k, p)
		if err != nil {
			return err
		}
		if err := b.patchNamed(t, l, text); err != nil {
			return err
		}
	}
	return l.checkNames()
}

// patchText returns the text of a patch.
func (b *builder) patchText(k *Kustomization, p types.Patch) ([]byte, error) {
	if p.Path == "" {
		return []byte(strings.TrimSpace(p.Patch)), nil
	}
	text, err := b.src.Load(k, p.Path)
	if err != nil {
		return nil, failed("reading a patch", err)
	}
	return text, nil
}

// patchesStrategicMerge applies the field of this name, of which each entry is a patch or a file of patches.
func (b *builder) patchesStrategicMerge(k *Kustomization, l *list) error {
	for _, entry := range k.PatchesStrategicMerge {
		t := builtins.NewPatchStrategicMergeTransformerPlugin()
		if err := b.configure(k, t, struct {
			Paths []types.PatchStrategicMerge `json:"paths"`
		}{[]types.PatchStrategicMerge{entry}}); err != nil {
			return err
		}
		text := []byte(entry)
		if _, err := b.factory.RF().SliceFromBytes(text); err != nil {
			if text, err = b.src.Load(k, string(entry)); err != nil {
				return failed("reading a patch", err)
			}
		}
		if err := b.patchNamed(t, l, text); err != nil {
			return err
		}
	}
	return l.checkNames()
}

// patchesJSON applies the field patchesJson6902.
func (b *builder) patchesJSON(k *Kustomization, l *list) error {
	for _, p := range k.PatchesJson6902 {
		if p.Target == nil {
			return decline("a patch without a target")
		}
		t := builtins.NewPatchJson6902TransformerPlugin()
		if err := b.configure(k, t, struct {
			Target *types.Selector `json:"target,omitempty"`
			Path   string          `json:"path,omitempty"`
			JSONOp string          `json:"jsonOp,omitempty"`
		}{p.Target, p.Path, p.Patch}); err != nil {
			return err
		}
		if err := b.patchSelected(t, l, *p.Target); err != nil {
			return err
		}
	}
	return nil
}

// patchNamed applies patches that name what they change: the plugin sees all objects that have or had these names.
func (b *builder) patchNamed(t resmap.Transformer, l *list, text []byte) error {
	patches, err := b.factory.RF().SliceFromBytes(text)
	if err != nil {
		return failed("reading a patch", err)
	}
	some := map[*object]bool{}
	for _, p := range patches {
		id := p.OrgId()
		for _, o := range l.named(id.Name) {
			if o.hasID(id) {
				some[o] = true
			}
		}
	}
	if len(some) == 0 {
		return decline("a patch of nothing")
	}
	objects := make([]*object, 0, len(some))
	if len(some) == 1 {
		for o := range some {
			objects = append(objects, o)
		}
	} else {
		objects = l.inOrder(some)
	}
	return b.run(t, l, objects)
}

// patchSelected applies a patch to all objects that a selector may select, one by one. Labels and annotations are left
// to the plugin.
func (b *builder) patchSelected(t resmap.Transformer, l *list, s types.Selector) error {
	regex, err := types.NewSelectorRegex(&s)
	if err != nil {
		return failed("reading a selector", err)
	}
	candidates := l.objects
	if s.Name != "" && regexp.QuoteMeta(s.Name) == s.Name {
		candidates = l.named(s.Name)
	}
	var selected []*object
	for _, o := range candidates {
		org := o.original()
		if (regex.MatchNamespace(org.EffectiveNamespace()) || regex.MatchNamespace(o.id.EffectiveNamespace())) &&
			(regex.MatchName(org.Name) || regex.MatchName(o.id.Name)) && regex.MatchGvk(o.id.Gvk) {
			selected = append(selected, o)
		}
	}
	if err := b.each(t, l, selected); err != nil || !l.renamed {
		return err
	}
	return l.checkNames() // as kustomize does after each such patch: a later one may rename an object again
}
