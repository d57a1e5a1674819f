package objects

// objectBuckets knows the object bucket claims of Rook, NooBaa and OpenShift: credentials, and where the bucket is.
func objectBuckets() operator {
	return operator{rows: map[string][]row{
		"ObjectBucketClaim": {
			{kind: secret, parts: wholeSpec(shape{}), versionless: Made},
			{kind: configMap, parts: wholeSpec(shape{}), versionless: Made},
		},
	}}
}
