package objects

// The operator of Crunchy Data: CrunchyData/postgres-operator, internal/naming/names.go, and of the users
// internal/controller/postgrescluster/postgres.go (reconcilePostgresUserSecrets).
var crunchy = operator{rows: map[string][]row{
	"PostgresCluster": {
		generated(crunchyGroup, "{metadata.name}-pguser-{spec.users[*].name}"),
		generated(crunchyGroup, "{metadata.name}-pguser-{metadata.name}").ifUnset("spec.users"),
		generated(crunchyGroup, "{metadata.name}-cluster-cert").ifUnset("spec.customTLSSecret"),
		generated(crunchyGroup, "{metadata.name}-replication-cert").ifUnset("spec.customReplicationTLSSecret"),
		generated(crunchyGroup, "{metadata.name}-pgbouncer").ifSet("spec.proxy.pgBouncer"),
		generated(crunchyGroup, "{metadata.name}-monitoring").ifSet("spec.monitoring"),
	},
}}

const crunchyGroup = "postgres-operator.crunchydata.com"
