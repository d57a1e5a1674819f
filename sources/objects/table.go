package objects

// table holds the rows of all operators by kind. A new operator is a file and its line here. Sources: the operators'
// own API types.
var table = join(
	externalSecrets,
	kubernetesExternalSecrets,
	sealedSecrets,
	sopsOperators,
	secretsStoreDriver,
	certManager,
	vaultSecretsOperator,
	vaultOperators,
	onePassword,
	strimzi,
	objectBuckets,
	doppler,
	infisical,
	bitwarden,
)
