package objects

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// cert-manager and its trust-manager.
var certManager = operator{rows: map[string][]row{
	"Certificate": {{
		group: "cert-manager.io", kind: secret, name: names("spec.secretName"),
		copiedBy: fields("spec.secretTemplate.annotations"), merge: always(config.MergeFill), versionless: Made,
		parts: wholeSpec(shape{
			omit: []string{
				"secretName", "secretTemplate", "renewBefore", "renewBeforePercentage", "renewal", "revisionHistoryLimit",
				"privateKey.rotationPolicy",
			},
			defaults: []canonical.Default{
				canonical.DefaultFalse("isCA"), canonical.DefaultString("duration", "2160h"),
				canonical.DefaultString("duration", "2160h0m0s"),
				canonical.DefaultTrue("encodeUsagesInRequest"), canonical.DefaultString("issuerRef.kind", "Issuer"),
				canonical.DefaultString("issuerRef.group", "cert-manager.io"),
				canonical.DefaultString("privateKey.algorithm", "RSA"),
				canonical.DefaultString("privateKey.encoding", "PKCS1"),
			},
			sets: []string{"dnsNames", "ipAddresses", "uris", "emailAddresses", "usages"},
		}),
	}},
	// cert-manager/cert-manager, pkg/controller/certificate-shim/sync.go.
	"Ingress": {{
		group: "networking.k8s.io", has: hasIssuer, kind: secret, name: names("spec.tls[*].secretName"),
		content: inCluster, versionless: Made, yields: true,
	}},
	"Bundle": {
		{group: trustGroup, kind: configMap, anywhere: true, kindAt: fields("spec.target.configMap"),
			parts: wholeSpec(shape{})},
		{group: trustGroup, kind: secret, anywhere: true, kindAt: fields("spec.target.secret"),
			parts: wholeSpec(shape{})},
	},
}}

// hasIssuer reports whether an Ingress asks for certificates by its annotations.
func hasIssuer(o manifest.Object) bool {
	annotations := o.Node.At("metadata", "annotations")
	return annotations.Get("cert-manager.io/cluster-issuer").Valid() ||
		annotations.Get("cert-manager.io/issuer").Valid() || annotations.Get("kubernetes.io/tls-acme").StringValue() == "true"
}

const trustGroup = "trust.cert-manager.io"
