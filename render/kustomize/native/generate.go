package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
)

// generate adds the ConfigMaps and Secrets that a kustomization generates, or merges them into those that are there.
func (b *builder) generate(k *Kustomization, l *list, file string) error {
	var plugins []resmap.GeneratorPlugin
	add := func(p resmap.GeneratorPlugin, config any) error {
		plugins = append(plugins, p)
		return b.configure(k, p, config)
	}
	for _, args := range k.ConfigMapGenerator {
		args.Options = types.MergeGlobalOptionsIntoLocal(args.Options, k.GeneratorOptions)
		if err := add(builtins.NewConfigMapGeneratorPlugin(), args); err != nil {
			return err
		}
	}
	for _, args := range k.SecretGenerator {
		args.Options = types.MergeGlobalOptionsIntoLocal(args.Options, k.GeneratorOptions)
		if err := add(builtins.NewSecretGeneratorPlugin(), args); err != nil {
			return err
		}
	}
	for _, p := range plugins {
		made, err := p.Generate()
		if err != nil {
			return failed("a generator", err)
		}
		if err := b.absorb(l, made, file); err != nil {
			return err
		}
	}
	return nil
}

// absorb adds what a generator made.
func (b *builder) absorb(l *list, made resmap.ResMap, file string) error {
	for _, r := range made.Resources() {
		id := r.CurId()
		old := slices.DeleteFunc(slices.Clone(l.named(id.Name)), func(o *object) bool { return !o.hasID(id) })
		switch {
		case len(old) > 1:
			return decline("a generator that fits several objects")
		case len(old) == 1:
			if err := b.merge(l, old[0], r, file); err != nil {
				return err
			}
		case r.Behavior() == types.BehaviorMerge, r.Behavior() == types.BehaviorReplace:
			return decline("a generator that merges with nothing")
		default:
			l.add(newObject(r, file))
		}
	}
	return nil
}

// merge lets kustomize merge what was generated into what is there.
func (b *builder) merge(l *list, old *object, generated *resource.Resource, file string) error {
	replaced := generated.Behavior() == types.BehaviorReplace
	if err := b.parse(old); err != nil {
		return err
	}
	m, err := mapOf([]*object{old})
	if err != nil {
		return err
	}
	if err := m.AbsorbAll(b.factory.FromResource(generated)); err != nil {
		return failed("a generator", err)
	}
	if m.Size() != 1 {
		return decline("a generator that adds to what is there")
	}
	old.res = m.Resources()[0]
	l.refresh(old)
	if replaced {
		old.file, old.line = file, 0
	}
	return nil
}

// hashNames adds the hash of the content to the names that ask for it.
func (b *builder) hashNames(l *list) error {
	t := builtins.NewHashTransformerPlugin()
	if err := t.Config(b.helpers(nil), nil); err != nil {
		return failed("the configuration of a plugin", err)
	}
	for _, o := range l.objects {
		if o.res == nil || !o.res.NeedHashSuffix() {
			continue
		}
		if err := b.run(t, l, []*object{o}); err != nil {
			return err
		}
	}
	return l.checkNames()
}
