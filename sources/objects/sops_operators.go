package objects

// sopsOperators knows the operators that decrypt a SopsSecret: the one of isindir and Capsule's.
func sopsOperators() operator {
	return operator{rows: map[string][]row{
		"SopsSecret": {
			{kind: secret, name: names("spec.secretTemplates[*].name"), content: sopsTemplates("secretTemplates")},
			{group: "addons.projectcapsule.dev", kind: secret, name: names("spec.secrets[*].name"),
				content: sopsTemplates("secrets")},
		},
	}, secrets: []secretPlaces{{
		kinds:  []string{"SopsSecret"},
		places: literalsAt("spec.template", "spec.secretTemplates.*", "spec.secrets.*"),
	}}}
}

// sopsTemplates builds the content of a SopsSecret's template of the name that is produced; list is the field of its
// spec that has them.
func sopsTemplates(list string) func(*builder) {
	return func(b *builder) {
		for t := range b.producer.node.At("spec", list).Items() {
			if t.Get("name").StringValue() != b.target.name {
				continue
			}
			d := decoder{sops: true}
			for _, f := range contentFields[secret] {
				for e := t.Get(f.name).Fields(); e.Next(); {
					b.pairs = append(b.pairs, d.pair(e.Key.Field(), e.Value, f))
				}
			}
		}
	}
}
