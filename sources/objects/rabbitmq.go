package objects

// rabbitMQ knows the operators of RabbitMQ, for clusters: rabbitmq/cluster-operator,
// internal/resource/default_user_secret.go, erlang_cookie.go and rabbitmq_resource_builder.go; and for what is in them:
// rabbitmq/messaging-topology-operator, internal/controller/user_controller.go.
func rabbitMQ() operator {
	return operator{rows: map[string][]row{
		"RabbitmqCluster": {
			generatedSecret(rabbitMQGroup, "{metadata.name}-default-user").ifUnset("spec.secretBackend.externalSecret.name",
				"spec.secretBackend.vault.defaultUserPath"),
			generatedSecret(rabbitMQGroup, "{metadata.name}-erlang-cookie"),
		},
		"User": {generatedSecret(rabbitMQGroup, "{metadata.name}-user-credentials")},
	}}
}

const rabbitMQGroup = "rabbitmq.com"
