package objects

// cloudNativePG knows CloudNativePG: cloudnative-pg/cloudnative-pg, api/v1/cluster_types.go (the suffixes),
// api/v1/cluster_funcs.go (GetApplicationSecretName and the like) and internal/controller/cluster_create.go.
func cloudNativePG() operator {
	return operator{rows: map[string][]row{
		"Cluster": {
			generatedSecret(cloudNativePGGroup, "{metadata.name}-app").ifUnset("spec.bootstrap.initdb.secret.name",
				"spec.bootstrap.recovery.secret.name", "spec.bootstrap.pg_basebackup.secret.name"),
			generatedSecret(cloudNativePGGroup, "{metadata.name}-superuser").ifSet("spec.enableSuperuserAccess").
				ifUnset("spec.superuserSecret.name"),
			generatedSecret(cloudNativePGGroup, "{metadata.name}-ca"),
			generatedSecret(cloudNativePGGroup, "{metadata.name}-server").ifUnset("spec.certificates.serverTLSSecret"),
			generatedSecret(cloudNativePGGroup, "{metadata.name}-replication").ifUnset("spec.certificates.replicationTLSSecret"),
		},
	}}
}

const cloudNativePGGroup = "postgresql.cnpg.io"
