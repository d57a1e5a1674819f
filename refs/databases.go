package refs

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
)

// databaseKinds returns the rows for databases and object stores that are described as a rule describes them.
func databaseKinds() []Kind {
	return slices.Concat(crunchyKinds(), redisKinds(), failoverKinds(), minioKinds())
}

// crunchyKinds returns the rows for the kinds of Crunchy Data's operator: sets of instances, and pgAdmin.
func crunchyKinds() []Kind {
	const group = "postgres-operator.crunchydata.com"
	instances := func() config.KindRule {
		return config.KindRule{
			Template: pathOf("spec.instances[*]"), PodSpec: pathOf("spec.instances[*]"),
			Annotations: pathOf("spec.instances[*].metadata.annotations"),
			References:  projectedAt("spec.config.files[*]"),
		}
	}
	pgAdmin := func(spec string) func() config.KindRule {
		return func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf(spec + ".metadata.annotations"),
				References: append(projectedAt(spec+".config.files[*]"), secretKeyAt(spec+".config.ldapBindPassword"),
					secretKeyAt(spec+".config.configDatabaseURI")),
			}
		}
	}
	return []Kind{
		operatorRule(group, "PostgresCluster", instances),
		operatorRule(group, "PostgresCluster", pgAdmin("spec.userInterface.pgAdmin")),
		operatorRule(group, "PGAdmin", pgAdmin("spec")),
	}
}

// redisKinds returns the rows for the kinds of Opstree's Redis operator, which copies the object's own annotations to
// the pods.
func redisKinds() (out []Kind) {
	for _, kind := range []string{"Redis", "RedisReplication", "RedisCluster", "RedisSentinel"} {
		out = append(out, operatorRule("redis.redis.opstreelabs.in", kind, func() config.KindRule {
			return config.KindRule{Annotations: pathOf("metadata.annotations"), References: slices.Concat(
				envAt("spec"), envAt("spec.redisExporter"), envAt("spec.initContainer"), envAt("spec.sidecars[*]"),
				[]config.ReferenceRule{secretKeyAt("spec.kubernetesConfig.redisSecret"), secretVolumeAt("spec.TLS.secret")},
				redisOwn(kind))}
		}))
	}
	return out
}

// redisOwn returns the references that not all kinds of that operator have.
func redisOwn(kind string) []config.ReferenceRule {
	if kind == "RedisSentinel" {
		return append(volumesAt("spec.volumeMount.volume[*]"),
			configMapAt("spec.redisSentinelConfig.additionalSentinelConfig"),
			secretKeyAt("spec.redisSentinelConfig.redisReplicationPassword.secretKeyRef"))
	}
	out := append(volumesAt("spec.storage.volumeMount.volume[*]"), secretVolumeAt("spec.acl.secret"))
	if kind == "RedisCluster" {
		return append(out, configMapAt("spec.redisLeader.redisConfig.additionalRedisConfig"),
			configMapAt("spec.redisFollower.redisConfig.additionalRedisConfig"))
	}
	return append(out, configMapAt("spec.redisConfig.additionalRedisConfig"))
}

// failoverKinds returns the rows for the Redis operator of Spotahome: one for each part, with pods of its own.
func failoverKinds() (out []Kind) {
	for _, spec := range []string{"spec.redis", "spec.sentinel"} {
		out = append(out, operatorRule("databases.spotahome.com", "RedisFailover", func() config.KindRule {
			references := slices.Concat(variablesAt(spec+".exporter.env", spec+".exporter.envFrom"),
				envAt(spec+".initContainers[*]"), envAt(spec+".extraContainers[*]"), volumesAt(spec+".extraVolumes[*]"))
			if spec == "spec.redis" {
				references = append(references, config.ReferenceRule{Path: pathOf("spec.auth.secretPath"), Kind: Secret})
			}
			return config.KindRule{Annotations: pathOf(spec + ".podAnnotations"), References: references}
		}))
	}
	return out
}

// minioKinds returns the rows for a Tenant of MinIO: its pools, and the pods that encrypt for it.
func minioKinds() []Kind {
	const group = "minio.min.io"
	return []Kind{
		operatorRule(group, "Tenant", func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf("spec.pools[*].annotations"),
				References: slices.Concat(envAt("spec"), envAt("spec.initContainers[*]"),
					envAt("spec.sideCars.containers[*]"), volumesAt("spec.sideCars.volumes[*]"),
					volumesAt("spec.additionalVolumes[*]"),
					[]config.ReferenceRule{{Path: pathOf("spec.configuration"), Kind: Secret, Name: pathOf("name")}}),
			}
		}),
		operatorRule(group, "Tenant", func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf("spec.kes.annotations"),
				References: append(envAt("spec.kes"),
					config.ReferenceRule{Path: pathOf("spec.kes.kesSecret"), Kind: Secret, Name: pathOf("name")},
					config.ReferenceRule{Path: pathOf("spec.kes.gcpCredentialSecretName"), Kind: Secret}),
			}
		}),
	}
}

// projectedAt returns the references that the sources of a projected volume at a path make; all keys count.
func projectedAt(source string) []config.ReferenceRule {
	return []config.ReferenceRule{
		{Path: pathOf(source + ".secret"), Kind: Secret, Name: pathOf("name")},
		{Path: pathOf(source + ".configMap"), Kind: ConfigMap, Name: pathOf("name")},
	}
}

// secretVolumeAt returns the reference of a Secret's volume at a path; all keys count.
func secretVolumeAt(at string) config.ReferenceRule {
	return config.ReferenceRule{Path: pathOf(at), Kind: Secret, Name: pathOf("secretName")}
}

// configMapAt returns the reference to the ConfigMap whose name a field is; all keys count.
func configMapAt(at string) config.ReferenceRule {
	return config.ReferenceRule{Path: pathOf(at), Kind: ConfigMap}
}
