package refs

import (
	"fmt"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
)

// operatorKinds returns the workloads of operators. docs/rules.md names, for each, the place in the operator's API.
// What an operator reloads by itself is no reference here, and a kind whose pods do not restart for an annotation has
// no row.
func operatorKinds() []Kind {
	return slices.Concat([]Kind{
		byOperator("Kibana", "kibana.k8s.elastic.co", "spec", "podTemplate"),
		byOperator("ApmServer", "apm.k8s.elastic.co", "spec", "podTemplate"),
		byOperator("EnterpriseSearch", "enterprisesearch.k8s.elastic.co", "spec", "podTemplate"),
		byOperator("Logstash", "logstash.k8s.elastic.co", "spec", "podTemplate"),
		byOperator("ElasticMapsServer", "maps.k8s.elastic.co", "spec", "podTemplate"),
		byOperator("Beat", "beat.k8s.elastic.co", "spec", "daemonSet", "podTemplate"),
		byOperator("Beat", "beat.k8s.elastic.co", "spec", "deployment", "podTemplate"),
		byOperator("Agent", "agent.k8s.elastic.co", "spec", "daemonSet", "podTemplate"),
		byOperator("Agent", "agent.k8s.elastic.co", "spec", "deployment", "podTemplate"),
		byOperator("Agent", "agent.k8s.elastic.co", "spec", "statefulSet", "podTemplate"),
		byOperator("Pooler", "postgresql.cnpg.io", "spec", "template"),
		byOperator("MongoDBCommunity", "mongodbcommunity.mongodb.com", "spec", "statefulSet", "spec", "template"),
		byOperator("RabbitmqCluster", "rabbitmq.com", "spec", "override", "statefulSet", "spec", "template"),
		byOperator("Grafana", "grafana.integreatly.org", "spec", "deployment", "spec", "template"),
		byOperator("DeploymentRuntimeConfig", "pkg.crossplane.io", "spec", "deploymentTemplate", "spec", "template"),
		builtin(Kind{Kind: "ScaledJob", Template: []string{"spec", "jobTargetRef", "template"}, Stamping: OnRequest,
			Rollout: ByNextRun}, "keda.sh"),
		operatorRule("elasticsearch.k8s.elastic.co", "Elasticsearch", func() config.KindRule {
			return config.KindRule{
				Template: pathOf("spec.nodeSets[*].podTemplate"), PodSpec: pathOf("spec.nodeSets[*].podTemplate.spec"),
				Annotations: pathOf("spec.nodeSets[*].podTemplate.metadata.annotations"),
			}
		}),
		operatorRule("opentelemetry.io", "OpenTelemetryCollector", func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf("spec.podAnnotations"),
				References: slices.Concat(envAt("spec"), envAt("spec.initContainers[*]"), envAt("spec.additionalContainers[*]"),
					volumesAt("spec.volumes[*]"),
					[]config.ReferenceRule{{Path: pathOf("spec.configmaps[*]"), Kind: ConfigMap, Name: pathOf("name")}}),
			}
		}),
	}, prometheusKinds(), victoriaKinds(), strimziKinds(), argoEventsKinds(), databaseKinds())
}

// byOperator returns the row for a kind whose pod template holds spec and metadata at the usual places.
func byOperator(kind, group string, template ...string) Kind {
	return builtin(Kind{Kind: kind, Template: template, Rollout: ByOperator}, group)
}

// operatorRule returns the row for a kind that is described as a rule of the configuration describes one. The paths are
// parsed when the first such object is seen: most runs have none.
func operatorRule(group, kind string, paths func() config.KindRule) Kind {
	rule := sync.OnceValue(func() *config.KindRule {
		r := paths()
		r.Group, r.Kind = group, config.NonEmpty(kind)
		return &r
	})
	return Kind{Groups: []string{group}, Kind: kind, Rollout: ByOperator, Level: 1, rule: rule}
}

// prometheusKinds returns the rows for the kinds of the Prometheus operator.
func prometheusKinds() (out []Kind) {
	for _, k := range []struct {
		kind string
		more func() []config.ReferenceRule
	}{
		{"Prometheus", func() []config.ReferenceRule {
			return append(mountedByName(), secretKeyAt("spec.thanos.objectStorageConfig"))
		}},
		{"PrometheusAgent", mountedByName},
		{"Alertmanager", mountedByName},
		{"ThanosRuler", func() []config.ReferenceRule {
			return []config.ReferenceRule{secretKeyAt("spec.objectStorageConfig")}
		}},
	} {
		out = append(out, operatorRule("monitoring.coreos.com", k.kind, func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf("spec.podMetadata.annotations"),
				References: slices.Concat(k.more(), envAt("spec.containers[*]"), envAt("spec.initContainers[*]"),
					volumesAt("spec.volumes[*]")),
			}
		}))
	}
	return out
}

// victoriaKinds returns the rows for the kinds of the VictoriaMetrics operator. Of a VMCluster there is one for each
// part, with pods of its own.
func victoriaKinds() (out []Kind) {
	for _, k := range []struct{ kind, spec string }{
		{"VMAgent", "spec"}, {"VMAlert", "spec"}, {"VMAlertmanager", "spec"}, {"VMAuth", "spec"}, {"VMSingle", "spec"},
		{"VMCluster", "spec.vmselect"}, {"VMCluster", "spec.vminsert"}, {"VMCluster", "spec.vmstorage"},
	} {
		out = append(out, operatorRule("operator.victoriametrics.com", k.kind, func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf(k.spec + ".podMetadata.annotations"),
				References: slices.Concat(mountedByNameIn(k.spec), variablesAt(k.spec+".extraEnvs", k.spec+".extraEnvsFrom"),
					envAt(k.spec+".containers[*]"), envAt(k.spec+".initContainers[*]"), volumesAt(k.spec+".volumes[*]")),
			}
		}))
	}
	return out
}

// strimziKinds returns the rows for the kinds of Strimzi.
func strimziKinds() (out []Kind) {
	for _, k := range []struct {
		kind, template string
		containers     []string
		external       string // has variables and volumes of its own; "" where the kind has no such field
	}{
		{"Kafka", "spec.kafka.template", []string{"kafkaContainer", "initContainer"}, ""},
		{"KafkaNodePool", "spec.template", []string{"kafkaContainer", "initContainer"}, ""},
		{"KafkaConnect", "spec.template", []string{"connectContainer", "initContainer"}, "spec.externalConfiguration"},
		{"KafkaMirrorMaker2", "spec.template", []string{"connectContainer", "initContainer"}, "spec.externalConfiguration"},
		{"KafkaBridge", "spec.template", []string{"bridgeContainer", "initContainer"}, ""},
	} {
		out = append(out, operatorRule("kafka.strimzi.io", k.kind, func() config.KindRule {
			references := volumesAt(k.template + ".pod.volumes[*]")
			for _, c := range k.containers {
				references = append(references, envAt(k.template+"."+c)...)
			}
			if k.external != "" {
				references = slices.Concat(references, envAt(k.external), volumesAt(k.external+".volumes[*]"))
			}
			return config.KindRule{Annotations: pathOf(k.template + ".pod.metadata.annotations"), References: references}
		}))
	}
	return out
}

// argoEventsKinds returns the rows for the kinds of Argo Events that run pods of their own.
func argoEventsKinds() (out []Kind) {
	for _, kind := range []string{"EventSource", "Sensor"} {
		out = append(out, operatorRule("argoproj.io", kind, func() config.KindRule {
			return config.KindRule{
				Annotations: pathOf("spec.template.metadata.annotations"),
				References:  slices.Concat(envAt("spec.template.container"), volumesAt("spec.template.volumes[*]")),
			}
		}))
	}
	return out
}

// mountedByName returns the references of the lists of names that the operators of metrics mount.
func mountedByName() []config.ReferenceRule { return mountedByNameIn("spec") }

// mountedByNameIn returns those of a part of the spec.
func mountedByNameIn(spec string) []config.ReferenceRule {
	return []config.ReferenceRule{
		{Path: pathOf(spec + ".secrets[*]"), Kind: Secret}, {Path: pathOf(spec + ".configMaps[*]"), Kind: ConfigMap},
	}
}

// envAt returns the references that a container at a path makes by its environment.
func envAt(container string) []config.ReferenceRule {
	return variablesAt(container+".env", container+".envFrom")
}

// variablesAt returns the references of two lists that are those of a container.
func variablesAt(env, envFrom string) []config.ReferenceRule {
	return []config.ReferenceRule{
		secretKeyAt(env + "[*].valueFrom.secretKeyRef"),
		{Path: pathOf(env + "[*].valueFrom.configMapKeyRef"), Kind: ConfigMap, Name: pathOf("name"), Key: pathOf("key")},
		{Path: pathOf(envFrom + "[*].secretRef"), Kind: Secret, Name: pathOf("name")},
		{Path: pathOf(envFrom + "[*].configMapRef"), Kind: ConfigMap, Name: pathOf("name")},
	}
}

// volumesAt returns the references that the volumes at a path make; all keys count.
func volumesAt(volume string) []config.ReferenceRule {
	return []config.ReferenceRule{
		{Path: pathOf(volume + ".secret"), Kind: Secret, Name: pathOf("secretName")},
		{Path: pathOf(volume + ".configMap"), Kind: ConfigMap, Name: pathOf("name")},
		{Path: pathOf(volume + ".projected.sources[*].secret"), Kind: Secret, Name: pathOf("name")},
		{Path: pathOf(volume + ".projected.sources[*].configMap"), Kind: ConfigMap, Name: pathOf("name")},
	}
}

// secretKeyAt returns the reference to a key of a Secret at a path.
func secretKeyAt(at string) config.ReferenceRule {
	return config.ReferenceRule{Path: pathOf(at), Kind: Secret, Name: pathOf("name"), Key: pathOf("key")}
}

// pathOf parses a path of the table; a mistake in one is a mistake of ours.
func pathOf(text string) config.Path {
	p, err := config.ParsePath(text)
	if err != nil {
		panic(fmt.Sprintf("refs: %v", err))
	}
	return p
}
