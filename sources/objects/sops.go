package objects

// SOPS is what decrypts values in the text of an object itself, as the kind of a producer.
const SOPS = "SOPS"

// The operators that decrypt a SopsSecret: the one of isindir and Capsule's.
var sopsOperators = operator{
	"SopsSecret": {
		{kind: secret, name: names("spec.secretTemplates[*].name"), content: sopsTemplates("secretTemplates")},
		{group: "addons.projectcapsule.dev", kind: secret, name: names("spec.secrets[*].name"), content: sopsTemplates("secrets")},
	},
}

// sopsTemplates makes the content of a SopsSecret's template of the name that is made; list is the field of its spec
// that has them.
func sopsTemplates(list string) func(*making) {
	return func(k *making) {
		for t := range k.producer.node.At("spec", list).Items() {
			if t.Get("name").StringValue() != k.target.name {
				continue
			}
			d := decoder{sops: true}
			for _, f := range contentFields[secret] {
				for e := t.Get(f.name).Fields(); e.Next(); {
					k.pairs = append(k.pairs, d.odd(e.Key.Field(), e.Value, f))
				}
			}
		}
	}
}
