package objects

// The operator of 1Password Connect.
var onePassword = operator{
	"OnePasswordItem": {{kind: secret, parts: wholeSpec(shape{}), versionless: Fetched}},
}
