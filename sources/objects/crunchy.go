package objects

// crunchy knows the operator of Crunchy Data: CrunchyData/postgres-operator, internal/naming/names.go, and of the users
// internal/controller/postgrescluster/postgres.go (reconcilePostgresUserSecrets).
func crunchy() operator {
	return operator{rows: map[string][]row{
		"PostgresCluster": {
			generatedSecret(crunchyGroup, "{metadata.name}-pguser-{spec.users[*].name}"),
			generatedSecret(crunchyGroup, "{metadata.name}-pguser-{metadata.name}").ifUnset("spec.users"),
			generatedSecret(crunchyGroup, "{metadata.name}-cluster-cert").ifUnset("spec.customTLSSecret"),
			generatedSecret(crunchyGroup, "{metadata.name}-replication-cert").ifUnset("spec.customReplicationTLSSecret"),
			generatedSecret(crunchyGroup, "{metadata.name}-pgbouncer").ifSet("spec.proxy.pgBouncer"),
			generatedSecret(crunchyGroup, "{metadata.name}-monitoring").ifSet("spec.monitoring"),
		},
	}}
}

const crunchyGroup = "postgres-operator.crunchydata.com"
