package objects

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// certManager knows cert-manager and its trust-manager.
func certManager() operator {
	return operator{rows: map[string][]row{
		"Certificate": {{
			group: "cert-manager.io", kind: secret, name: names("spec.secretName"),
			copiedBy: fields("spec.secretTemplate.annotations"), merge: always(config.MergeFill), versionless: Made,
			writes: certificateKeys,
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
			content: inCluster, versionless: Made, yields: true, writes: pairKeys,
		}},
		"Gateway": {{
			group: "gateway.networking.k8s.io", has: hasIssuer, kind: secret,
			name: names("spec.listeners[*].tls.certificateRefs[*].name"), content: inCluster, versionless: Made, yields: true,
			writes: pairKeys,
		}},
		"Bundle": {
			{group: trustGroup, kind: configMap, anywhere: true, kindAt: fields("spec.target.configMap"),
				parts: wholeSpec(shape{}), writes: bundleKeys("configMap")},
			{group: trustGroup, kind: secret, anywhere: true, kindAt: fields("spec.target.secret"),
				parts: wholeSpec(shape{}), writes: bundleKeys("secret")},
		},
	}}
}

// pairKeys returns the keys of a Secret with a certificate; that of its authority is there where the issuer has one.
func pairKeys(manifest.Node) []string { return []string{"tls.crt", "tls.key", "ca.crt"} }

// certificateKeys returns the keys of a Certificate's Secret: cert-manager/cert-manager,
// pkg/controller/certificates/issuing/internal/secret.go.
func certificateKeys(certificate manifest.Node) []string {
	keys := pairKeys(certificate)
	for _, store := range []struct{ field, ending string }{{"jks", "jks"}, {"pkcs12", "p12"}} {
		if certificate.At("spec", "keystores", store.field).Get("create").IsTrue() {
			keys = append(keys, "keystore."+store.ending, "truststore."+store.ending)
		}
	}
	for format := range certificate.At("spec", "additionalOutputFormats").Items() {
		switch format.Get("type").StringValue() {
		case "CombinedPEM":
			keys = append(keys, "tls-combined.pem")
		case "DER":
			keys = append(keys, "key.der")
		default:
			return nil // a later version of cert-manager
		}
	}
	return keys
}

// bundleKeys returns what returns the keys of what a Bundle writes, in the field of its target.
func bundleKeys(field string) func(manifest.Node) []string {
	return func(bundle manifest.Node) (keys []string) {
		target := bundle.At("spec", "target")
		for _, n := range []manifest.Node{target.Get(field), target.At("additionalFormats", "jks"),
			target.At("additionalFormats", "pkcs12")} {
			if key := n.Get("key").StringValue(); key != "" {
				keys = append(keys, key)
			}
		}
		return keys
	}
}

// hasIssuer reports whether an Ingress or a Gateway asks for certificates by its annotations.
func hasIssuer(o manifest.Object) bool {
	annotations := o.Node.At("metadata", "annotations")
	return annotations.Get("cert-manager.io/cluster-issuer").Valid() ||
		annotations.Get("cert-manager.io/issuer").Valid() || annotations.Get("kubernetes.io/tls-acme").StringValue() == "true"
}

const trustGroup = "trust.cert-manager.io"
