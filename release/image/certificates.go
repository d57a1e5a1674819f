package image

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// certificates returns the roots that Mozilla trusts, as PEM, from the bundle of the Go team that go.sum pins. Roots
// with a condition are left out: Mozilla takes only their older certificates, and PEM cannot say that.
func certificates() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		parsed, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("certificates: %w", err)
		}
		fmt.Fprintf(&out, "# %s\n", parsed.Subject)
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
