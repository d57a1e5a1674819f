package aws

import (
	"context"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// OpenSecrets returns the client of Secrets Manager.
func OpenSecrets(t *stores.Target) (sources.Versions, error) {
	return NewSecrets(context.Background(), options(t))
}

// OpenParameters returns the client of the parameters of Systems Manager.
func OpenParameters(t *stores.Target) (sources.Versions, error) {
	return NewParameters(context.Background(), options(t))
}

func options(t *stores.Target) Options {
	return Options{
		Region: t.Fields["region"], Prefix: t.Fields["prefix"], Profile: string(t.Credentials.Profile),
		Role: string(t.Credentials.AssumeRole), Endpoint: t.Fields["endpoint"], CAFile: t.CAFile,
		Values: t.Operator.Values, Wrap: stores.Careful,
	}
}
