package objects

// azureKeyVault knows Azure Key Vault to Kubernetes: SparebankenVest/azure-key-vault-to-kubernetes,
// pkg/k8s/apis/azurekeyvault/v2beta1/types.go (AzureKeyVaultOutput).
func azureKeyVault() operator {
	return operator{rows: map[string][]row{
		"AzureKeyVaultSecret": {
			{
				group: "spv.no", kind: secret, name: names("spec.output.secret.name"),
				parts: wholeSpec(azureKeyVaultShape), versionless: Fetched,
			},
			{
				group: "spv.no", kind: configMap, name: names("spec.output.configMap.name"),
				parts: wholeSpec(azureKeyVaultShape), versionless: Fetched,
			},
		},
	}}
}

var azureKeyVaultShape = shape{omit: []string{"output.secret.name", "output.configMap.name"}}
