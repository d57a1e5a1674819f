package main

import (
	"context"
	"io"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/decrypt/sops"
	"github.com/rollstamp/rollstamp/sources/remote"
)

func serveDecrypting(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	defer fault.Catch(&err)
	silence()
	return remote.ServeDecrypting(ctx, in, out, config.Release(release), sopsDecrypter)
}

// sopsDecrypter makes the decrypter for a rule, whose files hold those of the environment already.
func sopsDecrypter(rule config.SOPSRule) (sources.Decrypter, error) {
	o := sops.Options{
		AgeKeyFiles: config.Strings(rule.AgeKeyFiles),
		GnuPG:       rule.GnuPG,
		KeyServices: config.Strings(rule.KeyServices),
		MAC:         sops.MACRule(rule.MAC),
	}
	if text, set := config.Environment()(config.EnvSOPSAgeKey); set {
		o.AgeKeys = []redact.Secret{redact.New([]byte(text))}
	}
	return sops.New(o)
}
