package objects

// elastic knows Elastic Cloud on Kubernetes: elastic/cloud-on-k8s, pkg/apis/*/v1/name.go and the Namer of each kind,
// with pkg/controller/common/certificates/secret.go and ca_reconcile.go for certificates, and
// pkg/controller/association for users.
func elastic() operator {
	return operator{rows: map[string][]row{
		"Elasticsearch": append(elasticCertificates("elasticsearch", "es"),
			generatedSecret("elasticsearch.k8s.elastic.co", "{metadata.name}-es-elastic-user").
				ifUnset("spec.auth.disableElasticUser"),
			generatedSecret("elasticsearch.k8s.elastic.co", "{metadata.name}-es-internal-users"),
			generatedSecret("elasticsearch.k8s.elastic.co", "{metadata.name}-es-transport-certs-public"),
		),
		"Kibana": append(elasticCertificates("kibana", "kb"),
			generatedSecret("kibana.k8s.elastic.co", "{metadata.name}-kibana-user"),
			generatedSecret("kibana.k8s.elastic.co", "{metadata.name}-kb-config"),
		),
		"ApmServer": append(elasticCertificates("apm", "apm"),
			generatedSecret("apm.k8s.elastic.co", "{metadata.name}-apm-token"),
		),
		"Agent":            elasticCertificates("agent", "agent"),
		"EnterpriseSearch": elasticCertificates("enterprisesearch", "ent"),
		"Logstash":         elasticCertificates("logstash", "ls"),
	}}
}

// elasticCertificates returns the rows for the certificates that a kind has for its port of HTTP.
func elasticCertificates(group, name string) (out []row) {
	for _, suffix := range []string{"http-certs-public", "http-certs-internal", "http-ca-internal"} {
		out = append(out, generatedSecret(group+".k8s.elastic.co", "{metadata.name}-"+name+"-"+suffix))
	}
	return out
}
