package objects

// The operator of 1Password Connect.
var onePassword = operator{rows: map[string][]row{
	"OnePasswordItem": {{kind: secret, parts: wholeSpec(shape{}), versionless: Fetched}},
}}
