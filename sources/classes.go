package sources

import "slices"

// The CSI driver for secret stores: what a SecretProviderClass mounts, and the Secrets that it makes beside that.

// classVolume makes what a volume of the class holds: files that cannot be told.
func classVolume(k *making) {
	k.put(Anything, classSpec, func() value {
		spec := k.producer.node.Get("spec")
		p := k.parameters()
		return k.placed(value{shape: mapping}.with("provider", read(spec.Get("provider"))).with("parameters", p), p, objectsOf(p))
	})
}

// parameters are the class's, with their lists of objects, which are texts of YAML, as lists.
func (k *making) parameters() value {
	p := new(reader).read(k.producer.node.At("spec", "parameters"), true, nil)
	for _, name := range []string{"objects", "secrets"} {
		p = p.set(name, embedded(p.get(name)))
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
			k.put(d.Get("key").StringValue(), classSpec, func() value {
				p := k.parameters()
				objects := named(objectsOf(p), objectName)
				p = p.set("objects", value{}).set("secrets", value{})
				return k.placed(value{shape: mapping}.with("provider", read(spec.Get("provider"))).with("objectName", text(objectName)).
					with("parameters", p).with("objects", objects), p, objects)
			})
		}
	}
}

// objectsOf returns the list of objects, which providers keep in different places.
func objectsOf(parameters value) value {
	for _, path := range []string{"objects", "objects.array", "secrets"} {
		if at := parameters.at(path); at.shape == listing {
			return at
		}
	}
	return value{}
}

// named returns the items that an object's name can mean, or all where there is none.
func named(objects value, name string) value {
	hits := list()
	for _, item := range objects.items {
		if slices.ContainsFunc([]string{"objectName", "objectAlias", "fileName", "path"}, func(field string) bool { return item.get(field).text == name }) {
			hits.items = append(hits.items, item)
		}
	}
	if len(hits.items) == 0 {
		return objects
	}
	return hits
}
