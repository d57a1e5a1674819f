package native

import (
	"regexp"

	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/ifc"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"
)

// transform does what the fields of a kustomization say, in kustomize's order.
func (b *builder) transform(k *Kustomization, l *list) error {
	for _, step := range []func(*Kustomization, *list) error{
		b.patchesStrategicMerge, b.patches, b.setNamespace, b.renameAll, b.label, b.annotate, b.patchesJSON, b.scale,
		b.setImages, b.replace,
	} {
		if err := step(k, l); err != nil {
			return err
		}
	}
	return l.checkNames()
}

// each lets a plugin change objects one by one: one that looks at no other.
func (b *builder) each(t resmap.Transformer, l *list, objects []*object) error {
	for _, o := range objects {
		if err := b.run(t, l, []*object{o}); err != nil {
			return err
		}
	}
	return nil
}

// run lets a plugin change objects; it sees no others.
func (b *builder) run(t resmap.Transformer, l *list, objects []*object) error {
	if err := b.parseAll(objects); err != nil {
		return err
	}
	m, err := mapOf(objects)
	if err != nil {
		return failed("a plugin", err)
	}
	if err := t.Transform(m); err != nil {
		return failed("a plugin", err)
	}
	left := 0
	for _, o := range objects {
		if o.res.IsNilOrEmpty() {
			continue
		}
		left++
		l.refresh(o)
	}
	switch m.DropEmpties(); {
	case m.Size() != left:
		return decline("a plugin that adds objects")
	case left < len(objects):
		l.drop(func(o *object) bool { return o.res != nil && o.res.IsNilOrEmpty() })
	}
	return nil
}

// refresh reads the names of an object that was changed.
func (l *list) refresh(o *object) {
	id, previous := o.res.CurId(), o.res.PrevIds()
	if id == o.id && len(previous) == len(o.previous) {
		return
	}
	o.id, o.previous, l.renamed = id, previous, true
	l.note(o)
}

func (b *builder) setNamespace(k *Kustomization, l *list) error {
	if k.Namespace == "" {
		return nil
	}
	t := &builtins.NamespaceTransformerPlugin{}
	var c struct {
		types.ObjectMeta `json:"metadata"`
	}
	c.Namespace = k.Namespace
	if err := b.configure(k, t, c); err != nil {
		return err
	}
	t.FieldSpecs = namespaceFields()
	if err := b.each(t, l, l.objects); err != nil {
		return err
	}
	return l.checkNames()
}

func (b *builder) renameAll(k *Kustomization, l *list) error {
	type affix struct {
		Prefix     string        `json:"prefix,omitempty"`
		Suffix     string        `json:"suffix,omitempty"`
		FieldSpecs types.FsSlice `json:"fieldSpecs"`
	}
	for _, one := range []struct {
		affix  affix
		plugin resmap.TransformerPlugin
	}{
		{affix{Prefix: k.NamePrefix}, builtins.NewPrefixTransformerPlugin()},
		{affix{Suffix: k.NameSuffix}, builtins.NewSuffixTransformerPlugin()},
	} {
		if one.affix.Prefix+one.affix.Suffix == "" {
			continue
		}
		one.affix.FieldSpecs = nameFields()
		if err := b.configure(k, one.plugin, one.affix); err != nil {
			return err
		}
		if err := b.each(one.plugin, l, l.objects); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) label(k *Kustomization, l *list) error {
	for _, label := range k.Labels {
		fields, err := fieldsOf(label)
		if err != nil {
			return failed("the fields of a label", err)
		}
		if err := b.setLabels(k, l, label.Pairs, fields); err != nil {
			return err
		}
	}
	if len(k.CommonLabels) == 0 {
		return nil // the table costs more than reading a small file
	}
	return b.setLabels(k, l, k.CommonLabels, selectorFields())
}

func (b *builder) setLabels(k *Kustomization, l *list, pairs map[string]string, fields types.FsSlice) error {
	if len(pairs) == 0 {
		return nil
	}
	t := &builtins.LabelTransformerPlugin{}
	if err := b.configure(k, t, struct {
		Labels map[string]string `json:"labels"`
	}{pairs}); err != nil {
		return err
	}
	t.FieldSpecs = fields
	return b.each(t, l, l.objects)
}

// fieldsOf returns where an item of the field labels is written.
func fieldsOf(label types.Label) (types.FsSlice, error) {
	fields := types.FsSlice(label.FieldSpecs)
	var err error
	add := func(more types.FsSlice) {
		if err == nil {
			fields, err = fields.MergeAll(more)
		}
	}
	if label.IncludeSelectors {
		add(selectorFields())
		return fields, err
	}
	if label.IncludeTemplates {
		add(templateFields())
	}
	if label.IncludeVolumeClaimTemplates {
		add(claimTemplateFields())
	}
	add(types.FsSlice{{Path: "metadata/labels", CreateIfNotPresent: true}})
	return fields, err
}

func (b *builder) annotate(k *Kustomization, l *list) error {
	if len(k.CommonAnnotations) == 0 {
		return nil
	}
	t := &builtins.AnnotationsTransformerPlugin{}
	if err := b.configure(k, t, struct {
		Annotations map[string]string `json:"annotations"`
	}{k.CommonAnnotations}); err != nil {
		return err
	}
	t.FieldSpecs = annotationFields()
	return b.each(t, l, l.objects)
}

// scale sets numbers of replicas. An entry that names nothing is an error.
func (b *builder) scale(k *Kustomization, l *list) error {
	for _, replica := range k.Replicas {
		t := &builtins.ReplicaCountTransformerPlugin{}
		if err := b.configure(k, t, struct {
			Replica types.Replica `json:"replica"`
		}{replica}); err != nil {
			return err
		}
		t.FieldSpecs = replicaFields()
		if err := b.run(t, l, l.named(replica.Name)); err != nil {
			return err
		}
	}
	return nil
}

// setImages sets names and tags of images.
func (b *builder) setImages(k *Kustomization, l *list) error {
	for _, image := range k.Images {
		if _, err := regexp.Compile(image.Name); err != nil {
			return failed("the name of an image", err) // which kustomize takes for a pattern
		}
		t := &builtins.ImageTagTransformerPlugin{}
		if err := b.configure(k, t, struct {
			ImageTag types.Image `json:"imageTag"`
		}{image}); err != nil {
			return err
		}
		t.FieldSpecs = imageFields()
		for _, o := range l.objects {
			if o.res == nil && o.imageless {
				continue
			}
			if err := b.run(t, l, []*object{o}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) replace(k *Kustomization, l *list) error {
	if len(k.Replacements) == 0 {
		return nil
	}
	t := builtins.NewReplacementTransformerPlugin()
	if err := b.configure(k, t, struct {
		Replacements []types.ReplacementField `json:"replacements"`
	}{k.Replacements}); err != nil {
		return err
	}
	return b.run(t, l, l.objects)
}

// configure reads the configuration of a plugin, as kustomize writes it for its own.
func (b *builder) configure(k *Kustomization, p resmap.Configurable, config any) error {
	text, err := yaml.Marshal(config)
	if err == nil {
		err = p.Config(b.helpers(k), text)
	}
	if err != nil {
		return failed("the configuration of a plugin", err)
	}
	return nil
}

func (b *builder) helpers(k *Kustomization) *resmap.PluginHelpers {
	return resmap.NewPluginHelpers(loader{b.src, k}, validator(), b.factory, types.DisabledPluginConfig())
}

func validator() ifc.Validator { return provider.NewDefaultDepProvider().GetFieldValidator() }

// loader reads the files that a kustomization names.
type loader struct {
	src Source
	of  *Kustomization
}

// Load reads a file.
func (l loader) Load(path string) ([]byte, error) { return l.src.Load(l.of, path) }

// New declines: no plugin here goes to other folders.
func (l loader) New(string) (ifc.Loader, error) {
	return nil, decline("a plugin that reads another folder")
}

// Root returns the kustomization's folder.
func (l loader) Root() string { return l.of.Dir }

// Repo returns "": what is read was fetched before.
func (l loader) Repo() string { return "" }

// Cleanup does nothing.
func (l loader) Cleanup() error { return nil }

// dropLocal takes out what is there for kustomize alone.
func dropLocal(l *list) error {
	for _, o := range l.objects {
		if o.res == nil {
			continue // its annotations were looked at
		}
		if _, err := o.res.GetValidatedMetadata(); err != nil {
			return failed("reading names", err)
		}
	}
	l.drop(func(o *object) bool {
		if o.res == nil {
			return false
		}
		local, ok := o.res.GetAnnotations()[konfig.IgnoredByKustomizeAnnotation]
		return ok && local != "false"
	})
	return nil
}
