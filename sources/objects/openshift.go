package objects

import "github.com/rollstamp/rollstamp/manifest"

// openShift knows OpenShift's service CA, which makes certificates for Services that ask for them by an annotation:
// openshift/service-ca-operator, pkg/controller/api/api.go and pkg/controller/servingcert. What it and the network
// operator add to ConfigMaps is in filled.go.
func openShift() operator {
	return operator{rows: map[string][]row{
		"Service": {{
			exact: true, has: hasServingCertificate, kind: secret, content: inCluster, versionless: Made, yields: true,
			name: names(`metadata.annotations["`+servingCertificate+`"]`, `metadata.annotations["`+servingCertificateAlpha+`"]`),
		}},
	}}
}

const (
	servingCertificate      = "service.beta.openshift.io/serving-cert-secret-name"
	servingCertificateAlpha = "service.alpha.openshift.io/serving-cert-secret-name"
)

func hasServingCertificate(o manifest.Object) bool {
	annotations := o.Node.At("metadata", "annotations")
	return annotations.Get(servingCertificate).Valid() || annotations.Get(servingCertificateAlpha).Valid()
}
