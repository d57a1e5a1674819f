package refs

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

// operatorRow is a manifest as the users of an operator write it, and what is to be found in it.
type operatorRow struct{ name, text, want string }

const volumes = `[{name: a, secret: {secretName: v1}}, {name: b, configMap: {name: v2}}, {name: c, emptyDir: {}}]`

const env = `[{name: A, valueFrom: {secretKeyRef: {name: e1, key: k}}}, {name: B, valueFrom: {configMapKeyRef: {name: e2, key: l}}}]`

// operatorRows say of each kind that is described as a rule describes one what it refers to, and where the stamps go.
var operatorRows = []operatorRow{
	{"each set of nodes has a template", `apiVersion: elasticsearch.k8s.elastic.co/v1
kind: Elasticsearch
spec:
  secureSettings: [{secretName: reloaded}]
  nodeSets:
  - {name: hot, podTemplate: {spec: {containers: [{name: elasticsearch, env: ` + env + `}]}}}
  - {name: cold, count: 1}
  - {name: warm, podTemplate: {spec: {containers: [{name: elasticsearch, envFrom: [{secretRef: {name: all}}]}]}}}
`, "metadata.annotations <- Secret/e1(k) ConfigMap/e2(l)\nmetadata.annotations <- Secret/all(*)\n"},
	{"a collector", `apiVersion: opentelemetry.io/v1beta1
kind: OpenTelemetryCollector
spec:
  env: ` + env + `
  envFrom: [{secretRef: {name: all}}]
  volumes: ` + volumes + `
  configmaps: [{name: mounted, mountpath: /m}]
  additionalContainers: [{name: x, envFrom: [{configMapRef: {name: more}}]}]
`, "spec.podAnnotations <- Secret/e1(k) ConfigMap/e2(l) Secret/all(*) ConfigMap/more(*) Secret/v1(*) ConfigMap/v2(*)" +
		" ConfigMap/mounted(*)\n"},
	{"Prometheus reloads scrape configurations by itself", `apiVersion: monitoring.coreos.com/v1
kind: Prometheus
spec:
  secrets: [tls]
  configMaps: [rules]
  additionalScrapeConfigs: {name: reloaded, key: a}
  thanos: {objectStorageConfig: {name: bucket, key: conf}}
  containers: [{name: proxy, env: ` + env + `}]
  volumes: ` + volumes + `
`, "spec.podMetadata.annotations <- Secret/tls(*) ConfigMap/rules(*) Secret/bucket(conf) Secret/e1(k) ConfigMap/e2(l)" +
		" Secret/v1(*) ConfigMap/v2(*)\n"},
	{"an agent", `apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
spec: {secrets: [tls], configMaps: [rules]}
`, "spec.podMetadata.annotations <- Secret/tls(*) ConfigMap/rules(*)\n"},
	{"Alertmanager reloads its configuration by itself", `apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
spec: {configSecret: reloaded, secrets: [tls], configMaps: [templates], podMetadata: {labels: {}}}
`, "spec.podMetadata.annotations <- Secret/tls(*) ConfigMap/templates(*)\n"},
	{"a ruler has no lists of names", `apiVersion: monitoring.coreos.com/v1
kind: ThanosRuler
spec: {objectStorageConfig: {name: bucket, key: conf}, secrets: [none]}
`, "spec.podMetadata.annotations <- Secret/bucket(conf)\n"},
	victoriaRow("VMAgent"), victoriaRow("VMAlert"), victoriaRow("VMAlertmanager"), victoriaRow("VMAuth"),
	victoriaRow("VMSingle"),
	{"a cluster of three parts", `apiVersion: operator.victoriametrics.com/v1beta1
kind: VMCluster
spec:
  vmselect: {secrets: [tls], extraEnvs: ` + env + `}
  vmstorage: {configMaps: [rules], extraEnvsFrom: [{secretRef: {name: all}}]}
`, "spec.vmselect.podMetadata.annotations <- Secret/tls(*) Secret/e1(k) ConfigMap/e2(l)\n" +
		"spec.vminsert.podMetadata.annotations <-\n" +
		"spec.vmstorage.podMetadata.annotations <- ConfigMap/rules(*) Secret/all(*)\n"},
	{"brokers", `apiVersion: kafka.strimzi.io/v1
kind: Kafka
spec:
  kafka:
    metricsConfig: {valueFrom: {configMapKeyRef: {name: reconciled, key: a}}}
    template:
      pod: {volumes: ` + volumes + `}
      kafkaContainer: {env: ` + env + `}
`, "spec.kafka.template.pod.metadata.annotations <- Secret/v1(*) ConfigMap/v2(*) Secret/e1(k) ConfigMap/e2(l)\n"},
	strimziRow("KafkaNodePool", "kafkaContainer"), strimziRow("KafkaConnect", "connectContainer"),
	strimziRow("KafkaMirrorMaker2", "connectContainer"), strimziRow("KafkaBridge", "bridgeContainer"),
	externalRow("KafkaConnect"), externalRow("KafkaMirrorMaker2"),
	argoEventsRow("EventSource"), argoEventsRow("Sensor"),
	{"each set of PostgreSQL's instances has its own containers", `apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PostgresCluster
spec:
  config: {files: [{secret: {name: ldap}}, {configMap: {name: conf}}]}
  instances:
  - {name: a, containers: [{name: proxy, env: ` + env + `}], volumes: {additional: [{name: x, claimName: y}]}}
  - {name: b}
  users: [{name: app, password: {type: ASCII}}]
`, "a:metadata.annotations <- Secret/ldap(*) ConfigMap/conf(*) Secret/e1(k) ConfigMap/e2(l)\n" +
		"b:metadata.annotations <- Secret/ldap(*) ConfigMap/conf(*)\n" +
		"spec.userInterface.pgAdmin.metadata.annotations <-\n"},
	{"pgAdmin beside a cluster", `apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PostgresCluster
spec:
  userInterface: {pgAdmin: {config: {ldapBindPassword: {name: ldap, key: password}, files: [{secret: {name: files}}]}}}
`, "spec.userInterface.pgAdmin.metadata.annotations <- Secret/files(*) Secret/ldap(password)\n"},
	{"pgAdmin by itself", `apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PGAdmin
spec: {config: {configDatabaseURI: {name: uri, key: k}, files: [{configMap: {name: files}}]}}
`, "spec.metadata.annotations <- ConfigMap/files(*) Secret/uri(k)\n"},
	{"Redis has its annotations on the object itself", `apiVersion: redis.redis.opstreelabs.in/v1beta2
kind: Redis
spec:
  kubernetesConfig: {image: redis, redisSecret: {name: password, key: p}}
  redisConfig: {additionalRedisConfig: conf}
  TLS: {secret: {secretName: tls}}
  acl: {secret: {secretName: acl}}
  env: ` + env + `
  storage: {volumeMount: {volume: ` + volumes + `}}
`, "metadata.annotations <- Secret/e1(k) ConfigMap/e2(l) Secret/password(p) Secret/tls(*)" +
		" Secret/v1(*) ConfigMap/v2(*) Secret/acl(*) ConfigMap/conf(*)\n"},
	{"leaders and followers", `apiVersion: redis.redis.opstreelabs.in/v1beta2
kind: RedisCluster
spec:
  redisLeader: {redisConfig: {additionalRedisConfig: first}}
  redisFollower: {redisConfig: {additionalRedisConfig: second}}
`, "metadata.annotations <- ConfigMap/first(*) ConfigMap/second(*)\n"},
	{"a replication", `apiVersion: redis.redis.opstreelabs.in/v1beta2
kind: RedisReplication
spec: {redisExporter: {env: ` + env + `}, redisConfig: {additionalRedisConfig: conf}}
`, "metadata.annotations <- Secret/e1(k) ConfigMap/e2(l) ConfigMap/conf(*)\n"},
	{"sentinels", `apiVersion: redis.redis.opstreelabs.in/v1beta2
kind: RedisSentinel
spec:
  redisSentinelConfig:
    additionalSentinelConfig: conf
    redisReplicationPassword: {secretKeyRef: {name: password, key: p}}
  volumeMount: {volume: ` + volumes + `}
`, "metadata.annotations <- Secret/v1(*) ConfigMap/v2(*) ConfigMap/conf(*) Secret/password(p)\n"},
	{"Redis and its sentinels", `apiVersion: databases.spotahome.com/v1
kind: RedisFailover
spec:
  auth: {secretPath: password}
  redis: {exporter: {env: ` + env + `}, extraVolumes: ` + volumes + `, startupConfigMap: script}
  sentinel: {extraContainers: [{name: x, envFrom: [{secretRef: {name: all}}]}]}
`, "spec.redis.podAnnotations <- Secret/e1(k) ConfigMap/e2(l) Secret/v1(*) ConfigMap/v2(*) Secret/password(*)\n" +
		"spec.sentinel.podAnnotations <- Secret/all(*)\n"},
	{"each pool of a tenant", `apiVersion: minio.min.io/v2
kind: Tenant
spec:
  configuration: {name: conf}
  env: ` + env + `
  pools: [{name: a, servers: 1}, {name: b, servers: 1}]
  kes: {kesSecret: {name: kes}, env: [{name: A, valueFrom: {secretKeyRef: {name: e3, key: k}}}]}
`, "a:annotations <- Secret/e1(k) ConfigMap/e2(l) Secret/conf(*)\n" +
		"b:annotations <- Secret/e1(k) ConfigMap/e2(l) Secret/conf(*)\n" +
		"spec.kes.annotations <- Secret/e3(k) Secret/kes(*)\n"},
}

func victoriaRow(kind string) operatorRow {
	return operatorRow{kind, `apiVersion: operator.victoriametrics.com/v1beta1
kind: ` + kind + `
spec:
  secrets: [tls]
  configMaps: [rules]
  extraEnvs: ` + env + `
  extraEnvsFrom: [{secretRef: {name: all}}]
`, "spec.podMetadata.annotations <- Secret/tls(*) ConfigMap/rules(*) Secret/e1(k) ConfigMap/e2(l) Secret/all(*)\n"}
}

func strimziRow(kind, container string) operatorRow {
	return operatorRow{kind, `apiVersion: kafka.strimzi.io/v1
kind: ` + kind + `
spec:
  template: {pod: {volumes: ` + volumes + `}, ` + container + `: {env: ` + env + `}}
`, "spec.template.pod.metadata.annotations <- Secret/v1(*) ConfigMap/v2(*) Secret/e1(k) ConfigMap/e2(l)\n"}
}

// externalRow returns the row of a kind that had variables and volumes beside its template until Strimzi's API v1.
func externalRow(kind string) operatorRow {
	return operatorRow{kind + " before v1", `apiVersion: kafka.strimzi.io/v1beta2
kind: ` + kind + `
spec:
  externalConfiguration: {env: ` + env + `, volumes: ` + volumes + `}
`, "spec.template.pod.metadata.annotations <- Secret/e1(k) ConfigMap/e2(l) Secret/v1(*) ConfigMap/v2(*)\n"}
}

func argoEventsRow(kind string) operatorRow {
	return operatorRow{kind, `apiVersion: argoproj.io/v1alpha1
kind: ` + kind + `
spec:
  template: {container: {env: ` + env + `}, volumes: ` + volumes + `}
`, "spec.template.metadata.annotations <- Secret/e1(k) ConfigMap/e2(l) Secret/v1(*) ConfigMap/v2(*)\n"}
}

func TestKindsOfOperatorsAreDescribedAsTheirAPIsSay(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	for _, c := range operatorRows {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(c.text, "\nspec:", "\nmetadata: {name: x}\nspec:", 1)
			got := strings.ReplaceAll(describe(templates(t, table, text)), "hot:", "")
			if got != c.want {
				t.Errorf("found %s\nwant  %s\nin\n%s", got, c.want, text)
			}
		})
	}
}

func TestAKindOfAnOperatorMayReferToNothing(t *testing.T) {
	t.Parallel()
	text := "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: x}\nspec: {replicas: 2}\n"
	if got := describe(templates(t, NewTable(config.MaxLevel, nil), text)); got != "spec.podMetadata.annotations <-\n" {
		t.Errorf("found %s", got)
	}
}

func TestARuleReplacesTheRowOfAnOperator(t *testing.T) {
	t.Parallel()
	table := ruled(t, `- {group: monitoring.coreos.com, kind: Prometheus, podSpec: spec.pod, stamp: false}`)
	text := "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: x}\nspec: {secrets: [tls]}\n"
	if rows := table.Rows(object(t, text)); len(rows) != 1 || rows[0].Stamping != OnRequest {
		t.Errorf("%d rows", len(rows))
	}
	if got := describe(templates(t, table, text)); got != "nothing <-\n" {
		t.Errorf("found %s", got)
	}
}
