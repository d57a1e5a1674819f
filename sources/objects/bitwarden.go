package objects

import "github.com/rollstamp/rollstamp/sources/canonical"

// bitwarden knows the operator of Bitwarden's Secrets Manager, and the one of lerentis for its password manager, which
// call their kind alike.
func bitwarden() operator {
	return operator{rows: map[string][]row{
		"BitwardenSecret": {
			{
				except: lerentisGroup, kind: secret, name: names("spec.secretName"), versionless: Fetched,
				parts: wholeSpec(shape{
					omit: []string{"secretName"},
					defaults: []canonical.Default{
						canonical.DefaultTrue("onlyMappedSecrets"), canonical.DefaultFalse("useSecretNames"),
					},
					sets: []string{"map"},
				}),
			},
			{
				group: lerentisGroup, kind: secret, name: names("spec.name"), space: "namespace", versionless: Fetched,
				parts: wholeSpec(shape{
					omit: []string{"name", "namespace", "secretType", "labels", "annotations"},
					sets: []string{"content"},
				}),
			},
		},
	}}
}

const lerentisGroup = "lerentis.uploadfilter24.eu"
