package objects

// strimzi knows Strimzi: the credentials of a user of Kafka; of a cluster its authorities and the certificates that
// others need of it, strimzi/strimzi-kafka-operator,
// api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java; and what an application needs to connect,
// strimzi/kafka-access-operator, KafkaAccessReconciler.java (determineSecretName).
func strimzi() operator {
	return operator{rows: map[string][]row{
		"KafkaUser": {{kind: secret, parts: wholeSpec(shape{}), versionless: Made}},
		"Kafka": {
			generatedSecret(strimziGroup, "{metadata.name}-cluster-ca-cert"),
			generatedSecret(strimziGroup, "{metadata.name}-cluster-ca"),
			generatedSecret(strimziGroup, "{metadata.name}-clients-ca-cert"),
			generatedSecret(strimziGroup, "{metadata.name}-clients-ca"),
			generatedSecret(strimziGroup, "{metadata.name}-cluster-operator-certs"),
			generatedSecret(strimziGroup, "{metadata.name}-entity-topic-operator-certs").
				ifSet("spec.entityOperator.topicOperator"),
			generatedSecret(strimziGroup, "{metadata.name}-entity-user-operator-certs").
				ifSet("spec.entityOperator.userOperator"),
		},
		"KafkaAccess": {{
			group: "access.strimzi.io", kind: secret, name: names("spec.secretName"), ownName: true,
			parts: wholeSpec(shape{omit: []string{"secretName", "template"}}), versionless: Made,
		}},
	}}
}

const strimziGroup = "kafka.strimzi.io"
