package objects

import (
	"strings"
	"testing"
)

// producing are objects that make others in the cluster; makes lists what, as "Kind namespace/name". Each is in
// namespace a.
var producing = []struct{ name, head, spec, makes string }{
	{"an ExternalSecret", "external-secrets.io/v1 ExternalSecret", "target: {name: made}", "Secret a/made"},
	{"an old ExternalSecret", "external-secrets.io/v1beta1 ExternalSecret", "target: {name: made}", "Secret a/made"},
	{"an ExternalSecret without a target", "external-secrets.io/v1 ExternalSecret", "data: []", "Secret a/it"},
	{"an ExternalSecret whose target is null", "external-secrets.io/v1 ExternalSecret", "target: {name: null}", "Secret a/it"},
	{"an ExternalSecret that makes a ConfigMap", "external-secrets.io/v1 ExternalSecret", "target: {name: made, manifest: {apiVersion: v1, kind: ConfigMap}}", "ConfigMap a/made"},
	{"an ExternalSecret of the first operator", "kubernetes-client.io/v1 ExternalSecret", "data: []", "Secret a/it"},
	{"an ExternalSecret of nobody we know", "example.com/v1 ExternalSecret", "target: {name: made}", ""},
	{"a ClusterExternalSecret", "external-secrets.io/v1 ClusterExternalSecret", "externalSecretSpec: {target: {name: made}}", "Secret a/made Secret b/made"},
	{"a ClusterExternalSecret that names the ExternalSecret", "external-secrets.io/v1 ClusterExternalSecret", "externalSecretName: made", "Secret a/made Secret b/made"},
	{"a ClusterExternalSecret with both names", "external-secrets.io/v1 ClusterExternalSecret", "{externalSecretName: other, externalSecretSpec: {target: {name: made}}}", "Secret b/made"},
	{"a ClusterExternalSecret without a name", "external-secrets.io/v1 ClusterExternalSecret", "{}", "Secret a/it Secret b/it"},
	{"a SealedSecret", "bitnami.com/v1alpha1 SealedSecret", "template: {metadata: {name: other}}", "Secret a/it"},
	{"a SecretProviderClass", "secrets-store.csi.x-k8s.io/v1 SecretProviderClass", "secretObjects: [{secretName: one}, {secretName: two}]", "Secret a/one Secret a/two"},
	{"a SecretProviderClass that makes nothing", "secrets-store.csi.x-k8s.io/v1 SecretProviderClass", "provider: vault", ""},
	{"a Certificate", "cert-manager.io/v1 Certificate", "secretName: made", "Secret a/made"},
	{"a Certificate without a Secret", "cert-manager.io/v1 Certificate", "{}", ""},
	{"a Certificate of another group", "networking.internal.knative.dev/v1alpha1 Certificate", "secretName: made", ""},
	{"a VaultStaticSecret", "secrets.hashicorp.com/v1beta1 VaultStaticSecret", "destination: {name: made, create: true}", "Secret a/made"},
	{"a VaultDynamicSecret", "secrets.hashicorp.com/v1beta1 VaultDynamicSecret", "destination: {name: made}", "Secret a/made"},
	{"a VaultPKISecret", "secrets.hashicorp.com/v1beta1 VaultPKISecret", "destination: {name: made}", "Secret a/made"},
	{"an HCPVaultSecretsApp", "secrets.hashicorp.com/v1beta1 HCPVaultSecretsApp", "destination: {name: made}", "Secret a/made"},
	{"a VaultSecret", "ricoberger.de/v1alpha1 VaultSecret", "path: x", "Secret a/it"},
	{"a VaultSecret of Red Hat's operator", "redhatcop.redhat.io/v1alpha1 VaultSecret", "output: {name: made}", "Secret a/made"},
	{"a OnePasswordItem", "onepassword.com/v1 OnePasswordItem", "itemPath: x", "Secret a/it"},
	{"a KafkaUser", "kafka.strimzi.io/v1beta2 KafkaUser", "{}", "Secret a/it"},
	{"an ObjectBucketClaim", "objectbucket.io/v1alpha1 ObjectBucketClaim", "bucketName: x", "Secret a/it ConfigMap a/it"},
	{"a DopplerSecret", "secrets.doppler.com/v1alpha1 DopplerSecret", "managedSecret: {name: made, namespace: b}", "Secret b/made"},
	{"a DopplerSecret without a namespace", "secrets.doppler.com/v1alpha1 DopplerSecret", "managedSecret: {name: made}", "Secret a/made"},
	{"an InfisicalSecret", "secrets.infisical.com/v1alpha1 InfisicalSecret", "managedSecretReference: {secretName: made, secretNamespace: b}", "Secret b/made"},
	{"an InfisicalSecret that makes several", "secrets.infisical.com/v1alpha1 InfisicalSecret",
		"managedKubeSecretReferences: [{secretName: one, secretNamespace: b}, {secretName: two, secretNamespace: c}, {secretName: three}]", "Secret b/one Secret c/two Secret a/three"},
	{"a BitwardenSecret", "k8s.bitwarden.com/v1 BitwardenSecret", "secretName: made", "Secret a/made"},
	{"a BitwardenSecret of another operator", "lerentis.uploadfilter24.eu/v1beta8 BitwardenSecret", "{name: made, namespace: b}", "Secret b/made"},
	{"an InfisicalDynamicSecret", "secrets.infisical.com/v1alpha1 InfisicalDynamicSecret", "managedSecretReference: {secretName: made, secretNamespace: b}", "Secret b/made"},
	{"a SopsSecret of Capsule's operator", "addons.projectcapsule.dev/v1alpha1 SopsSecret", "secrets: [{name: one}, {name: two}]", "Secret a/one Secret a/two"},
	{"a SopsSecret", "isindir.github.com/v1alpha3 SopsSecret", "secretTemplates: [{name: one}, {name: two}]", "Secret a/one Secret a/two"},
	{"a Bundle", "trust.cert-manager.io/v1alpha1 Bundle", "target: {configMap: {key: ca.crt}}", "ConfigMap a/it ConfigMap b/it"},
	{"a Bundle of Secrets", "trust.cert-manager.io/v1alpha1 Bundle", "target: {secret: {key: ca.crt}}", "Secret a/it Secret c/it"},
	{"a Bundle of both", "trust.cert-manager.io/v1alpha1 Bundle", "target: {secret: {key: a}, configMap: {key: a}}", "Secret b/it ConfigMap b/it"},
	{"a Cluster of CloudNativePG", "postgresql.cnpg.io/v1 Cluster", "instances: 3", "Secret a/it-app Secret a/it-ca Secret a/it-server Secret a/it-replication"},
	{"a Cluster of CloudNativePG with its own Secrets", "postgresql.cnpg.io/v1 Cluster",
		"{enableSuperuserAccess: true, bootstrap: {initdb: {secret: {name: other}}}, certificates: {serverTLSSecret: x, replicationTLSSecret: y}}", "Secret a/it-superuser Secret a/it-ca"},
	{"a Cluster of CloudNativePG with a superuser of the user's", "postgresql.cnpg.io/v1 Cluster", "{enableSuperuserAccess: true, superuserSecret: {name: other}}", "Secret a/it-app"},
	{"a Cluster of nobody we know", "cluster.x-k8s.io/v1beta1 Cluster", "{}", ""},
	{"a PostgresCluster", "postgres-operator.crunchydata.com/v1beta1 PostgresCluster", "proxy: {pgBouncer: {}}", "Secret a/it-pguser-it Secret a/it-cluster-cert Secret a/it-replication-cert Secret a/it-pgbouncer"},
	{"a PostgresCluster with users", "postgres-operator.crunchydata.com/v1beta1 PostgresCluster", "{users: [{name: one}, {name: two}], monitoring: {pgmonitor: {}}}", "Secret a/it-pguser-one Secret a/it-pguser-two Secret a/it-monitoring"},
	{"a postgresql of Zalando", "acid.zalan.do/v1 postgresql", "{users: {one_a: [], zalando: []}, preparedDatabases: {two: {defaultUsers: true}}, enableConnectionPooler: true}",
		"Secret a/one-a.it.credentials.postgresql.acid.zalan.do Secret a/zalando.it.credentials.postgresql.acid.zalan.do Secret a/postgres.it.credentials.postgresql.acid.zalan.do " +
			"Secret a/standby.it.credentials.postgresql.acid.zalan.do Secret a/two-owner-user.it.credentials.postgresql.acid.zalan.do Secret a/pooler.it.credentials.postgresql.acid.zalan.do"},
	{"a RabbitmqCluster", "rabbitmq.com/v1beta1 RabbitmqCluster", "{}", "Secret a/it-default-user Secret a/it-erlang-cookie"},
	{"a RabbitmqCluster with a Secret of its own", "rabbitmq.com/v1beta1 RabbitmqCluster", "secretBackend: {externalSecret: {name: other}}", "Secret a/it-erlang-cookie"},
	{"a User of RabbitMQ", "rabbitmq.com/v1beta1 User", "{}", "Secret a/it-user-credentials"},
	{"an Elasticsearch", "elasticsearch.k8s.elastic.co/v1 Elasticsearch", "auth: {disableElasticUser: false}", "Secret a/it-es-elastic-user Secret a/it-es-http-certs-public Secret a/it-es-http-ca-internal"},
	{"an Elasticsearch without its user", "elasticsearch.k8s.elastic.co/v1 Elasticsearch", "auth: {disableElasticUser: true}", "Secret a/it-es-internal-users"},
	{"a Kibana", "kibana.k8s.elastic.co/v1 Kibana", "{}", "Secret a/it-kibana-user Secret a/it-kb-http-certs-public"},
	{"an ApmServer", "apm.k8s.elastic.co/v1 ApmServer", "{}", "Secret a/it-apm-token Secret a/it-apm-http-certs-public"},
	{"an Agent", "agent.k8s.elastic.co/v1alpha1 Agent", "{}", "Secret a/it-agent-http-certs-public"},
	{"an EnterpriseSearch", "enterprisesearch.k8s.elastic.co/v1 EnterpriseSearch", "{}", "Secret a/it-ent-http-certs-public"},
	{"a Logstash", "logstash.k8s.elastic.co/v1alpha1 Logstash", "{}", "Secret a/it-ls-http-certs-public"},
	{"a Kafka", "kafka.strimzi.io/v1 Kafka", "entityOperator: {userOperator: {}, topicOperator: {}}", "Secret a/it-cluster-ca-cert Secret a/it-clients-ca-cert Secret a/it-cluster-ca Secret a/it-clients-ca " +
		"Secret a/it-cluster-operator-certs Secret a/it-entity-user-operator-certs Secret a/it-entity-topic-operator-certs"},
	{"a KafkaAccess", "access.strimzi.io/v1alpha1 KafkaAccess", "kafka: {name: k}", "Secret a/it"},
	{"a KafkaAccess with a name", "access.strimzi.io/v1alpha1 KafkaAccess", "secretName: made", "Secret a/made"},
	{"a claim of Crossplane", "db.example.com/v1 Database", "writeConnectionSecretToRef: {name: made}", "Secret a/made"},
	{"a managed resource of Crossplane", "rds.aws.upbound.io/v1beta1 Instance", "writeConnectionSecretToRef: {name: made, namespace: b}", "Secret b/made"},
	{"a composite of Crossplane", "db.example.com/v1 Database", "crossplane: {writeConnectionSecretToRef: {name: made}}", "Secret a/made"},
	{"an object of Kubernetes with the field of Crossplane", "networking.k8s.io/v1 Other", "writeConnectionSecretToRef: {name: made}", ""},
	{"an AzureKeyVaultSecret", "spv.no/v1 AzureKeyVaultSecret", "output: {secret: {name: one}, configMap: {name: two}}", "Secret a/one ConfigMap a/two"},
	{"an AzureKeyVaultSecret that is injected", "spv.no/v1 AzureKeyVaultSecret", "vault: {name: v}", ""},
	{"an InfisicalStaticSecret", "secrets.infisical.com/v1beta1 InfisicalStaticSecret",
		"targets: [{kind: Secret, name: one, namespace: a}, {kind: ConfigMap, name: two, namespace: b}]", "Secret a/one ConfigMap b/two"},
	{"a StringSecret", "secretgenerator.mittwald.de/v1alpha1 StringSecret", "{}", "Secret a/it"},
	{"an SSHKeyPair", "secretgenerator.mittwald.de/v1alpha1 SSHKeyPair", "{}", "Secret a/it"},
	{"a BasicAuth", "secretgenerator.mittwald.de/v1alpha1 BasicAuth", "{}", "Secret a/it"},
	{"an Ingress without an issuer", "networking.k8s.io/v1 Ingress", "tls: [{secretName: made}]", ""},
	{"a Bundle of another group", "fleet.cattle.io/v1alpha1 Bundle", "target: {configMap: {key: ca.crt}}", ""},
}

func TestWhatAProducerMakesIsKnownByName(t *testing.T) {
	t.Parallel()
	candidates := []string{"it", "made", "one", "two", "three", "other"}
	for _, c := range producing {
		t.Run(c.name, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(c.head, " ")
			spec := c.spec
			if !strings.HasPrefix(spec, "{") {
				spec = "{" + spec + "}"
			}
			x := indexed(t, "", "apiVersion: "+apiVersion+"\nkind: "+kind+"\nmetadata: {name: it, namespace: a}\nspec: "+spec+"\n")
			want := map[string]bool{}
			words := strings.Fields(c.makes)
			for i := 0; i < len(words); i += 2 {
				want[words[i]+" "+words[i+1]] = true
				namespace, name, _ := strings.Cut(words[i+1], "/")
				if o, source := x.Find(words[i], namespace, name); o == nil || source != kind+"/it" {
					t.Errorf("%s %s: from %s", words[i], words[i+1], source)
				}
			}
			anywhere := strings.Contains(kind, "Cluster") || kind == "Bundle"
			for _, made := range []string{"Secret", "ConfigMap"} {
				for _, name := range candidates {
					for _, namespace := range []string{"a", "b", "c"} {
						_, source := x.Find(made, namespace, name)
						known := want[made+" "+namespace+"/"+name] || anywhere && (want[made+" a/"+name] || want[made+" b/"+name])
						if !known && source != Absent {
							t.Errorf("%s %s/%s is said to come from %s", made, namespace, name, source)
						}
					}
				}
			}
		})
	}
}

func TestEveryProducerIsTested(t *testing.T) {
	t.Parallel()
	for kind, rows := range table().rows {
		for _, row := range rows {
			tested := row.has != nil || row.reaches != nil // these have tests of their own
			for _, c := range producing {
				apiVersion, k, _ := strings.Cut(c.head, " ")
				group, _, _ := strings.Cut(apiVersion, "/")
				tested = tested || k == kind && (row.group == "" || row.group == group) && c.makes != ""
			}
			if !tested {
				t.Errorf("%s of group %q has no row in this test", kind, row.group)
			}
		}
	}
}

func TestAnObjectInTheInputComesBeforeItsProducer(t *testing.T) {
	t.Parallel()
	const sealed = "---\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: x, namespace: a}\n"
	const plain = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: a}\n"
	for _, text := range []string{sealed + plain, plain + sealed} {
		if o, source := indexed(t, "", text).Find("Secret", "a", "x"); o == nil || source != Stream {
			t.Errorf("got %s", source)
		}
	}
	nowhere := strings.Replace(plain, ", namespace: a", "", 1)
	if _, source := indexed(t, "", sealed+nowhere).Find("Secret", "a", "x"); source != "SealedSecret/x" {
		t.Errorf("the exact one is the producer's; got %s", source)
	}
	if _, source := indexed(t, "", strings.Replace(sealed, "namespace: a", "namespace: b", 1)+plain).Find("Secret", "", "x"); source != Ambiguous {
		t.Errorf("a producer in one namespace, an object in another: got %s", source)
	}
}
