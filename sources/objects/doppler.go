package objects

import "github.com/rollstamp/rollstamp/sources/canonical"

// doppler knows the operator of Doppler.
func doppler() operator {
	return operator{rows: map[string][]row{
		"DopplerSecret": {{
			kind: secret, name: names("spec.managedSecret.name"), space: "namespace", versionless: Fetched,
			parts: wholeSpec(shape{
				omit:     []string{"managedSecret", "resyncSeconds", "expirationSeconds", "verifyTLS"},
				defaults: []canonical.Default{canonical.DefaultString("host", "https://api.doppler.com")},
				sets:     []string{"secrets"},
			}),
		}},
	}}
}
