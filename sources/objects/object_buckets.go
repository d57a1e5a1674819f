package objects

// The object bucket claims of Rook, NooBaa and OpenShift: credentials, and where the bucket is.
var objectBuckets = operator{rows: map[string][]row{
	"ObjectBucketClaim": {
		{kind: secret, parts: wholeSpec(shape{}), versionless: Made},
		{kind: configMap, parts: wholeSpec(shape{}), versionless: Made},
	},
}}
