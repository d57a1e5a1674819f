package objects

// Strimzi makes the credentials of a user of Kafka.
var strimzi = operator{
	"KafkaUser": {{kind: secret, parts: wholeSpec(shape{}), versionless: Made}},
}
