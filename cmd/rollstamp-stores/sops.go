package main

import (
	"context"
	"io"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/remote"
	"github.com/rollstamp/rollstamp/sources/sops"
)

func serveOpening(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	defer fault.Catch(&err)
	silence()
	return remote.ServeOpening(ctx, in, out, config.Release(release), sopsOpener)
}

// sopsOpener makes the opener for a rule, whose files hold those of the environment already.
func sopsOpener(rule config.SOPSRule) (sources.Opener, error) {
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
