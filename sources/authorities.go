package sources

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/rollstamp/rollstamp/diag"
)

// Authorities reads the file of those that vouch for a store. An error is one of the operator's configuration.
func Authorities(file string) (pem []byte, pool *x509.CertPool, err error) {
	if pem, err = os.ReadFile(file); err != nil {
		return nil, nil, diag.Usage(fmt.Errorf("read authorities of a store: %w", err),
			"Correct caFile in the operator's policy file.")
	}
	pool = x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, nil, diag.Usage(fmt.Errorf("read authorities of a store: %s holds no certificate", file),
			"Correct caFile in the operator's policy file.")
	}
	return pem, pool, nil
}
