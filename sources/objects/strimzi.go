package objects

// Strimzi produces the credentials of a user of Kafka.
var strimzi = operator{rows: map[string][]row{
	"KafkaUser": {{kind: secret, parts: wholeSpec(shape{}), versionless: Made}},
}}
