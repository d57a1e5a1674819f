package objects

// vaultOperators knows the operators of ricoberger and Red Hat for Vault, which call their kind alike.
func vaultOperators() operator {
	return operator{rows: map[string][]row{
		"VaultSecret": {
			{except: redhatGroup, kind: secret, parts: wholeSpec(shape{}), versionless: Fetched},
			{group: redhatGroup, kind: secret, name: names("spec.output.name"), parts: wholeSpec(shape{}), versionless: Fetched},
		},
	}}
}

const redhatGroup = "redhatcop.redhat.io"
