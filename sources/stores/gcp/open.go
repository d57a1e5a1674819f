package gcp

import (
	"context"

	"google.golang.org/api/option"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Open returns the client of a project.
func Open(t *stores.Target) (sources.Versions, error) {
	o := Options{
		Project: t.Fields["projectID"], Location: t.Fields["location"],
		Fallback: t.Fields["secretVersionSelectionPolicy"] == "LatestOrFetch",
		Endpoint: t.Fields["endpoint"], CAFile: t.CAFile,
	}
	if path := string(t.Credentials.CredentialsFile); path != "" {
		from, err := File(path)
		if err != nil {
			return nil, err
		}
		o.Client = []option.ClientOption{from}
	}
	return New(context.Background(), o)
}
