package objects

import (
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

import "slices"

// The CSI driver for secret stores: what a SecretProviderClass mounts, and the Secrets that it makes beside that.

var secretsStoreDriver = operator{
	sources.ProviderClass: {
		{kind: secret, name: names("spec.secretObjects[*].secretName"), content: classSecret},
		{kind: sources.ProviderClass, content: classVolume},
	},
}

// classVolume makes what a volume of the class holds: files that are not known.
func classVolume(k *making) {
	k.put(Anything, canonical.ClassSpec, func() canonical.Value {
		spec := k.producer.node.Get("spec")
		p := k.parameters()
		return k.placed(canonical.Value{Shape: canonical.Map}.With("provider", canonical.Read(spec.Get("provider"))).With("parameters", p), p, objectsOf(p))
	})
}

// parameters are the class's, with their lists of objects, which are texts of YAML, as lists.
func (k *making) parameters() canonical.Value {
	p := new(canonical.Reader).Read(k.producer.node.At("spec", "parameters"), true, nil)
	for _, name := range []string{"objects", "secrets"} {
		p = p.Set(name, canonical.Embedded(p.Get(name)))
	}
	return p
}

// classSecret makes the keys of the secretObjects of the name that is made.
func classSecret(k *making) {
	spec := k.producer.node.Get("spec")
	for object := range spec.Get("secretObjects").Items() {
		if object.Get("secretName").StringValue() != k.target.name {
			continue
		}
		for d := range object.Get("data").Items() {
			objectName := d.Get("objectName").StringValue()
			k.put(d.Get("key").StringValue(), canonical.ClassSpec, func() canonical.Value {
				p := k.parameters()
				objects := named(objectsOf(p), objectName)
				p = p.Set("objects", canonical.Value{}).Set("secrets", canonical.Value{})
				return k.placed(canonical.Value{Shape: canonical.Map}.With("provider", canonical.Read(spec.Get("provider"))).With("objectName", canonical.String(objectName)).
					With("parameters", p).With("objects", objects), p, objects)
			})
		}
	}
}

// objectsOf returns the list of objects, which providers keep in different places.
func objectsOf(parameters canonical.Value) canonical.Value {
	for _, path := range []string{"objects", "objects.array", "secrets"} {
		if at := parameters.At(path); at.Shape == canonical.Sequence {
			return at
		}
	}
	return canonical.Value{}
}

// named returns the items that an object's name can mean, or all where there is none.
func named(objects canonical.Value, name string) canonical.Value {
	hits := canonical.List()
	for _, item := range objects.Items {
		if slices.ContainsFunc([]string{"objectName", "objectAlias", "fileName", "path"}, func(field string) bool { return item.Get(field).Text == name }) {
			hits.Items = append(hits.Items, item)
		}
	}
	if len(hits.Items) == 0 {
		return objects
	}
	return hits
}
