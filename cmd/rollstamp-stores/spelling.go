package main

import (
	"context"
	"regexp"

	"github.com/rollstamp/rollstamp/sources"
)

// spelled is a store whose keys are spelled as its clients take them: what names a place in a class of the CSI driver begins with what
// tells the places of one class apart.
type spelled struct{ sources.Versions }

// before is the type of an object of AWS, or the project of one of Google Cloud. Azure's types are a part of the key for its client, too.
var before = regexp.MustCompile(`^(?:secretsmanager/|ssmparameter/|projects/[^/]+/(?:locations/[^/]+/)?secrets/)`)

// Version is sources.Versions'.
func (s spelled) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Store.Provider != "vault" {
		ref.Key = ref.Key[len(before.FindString(ref.Key)):]
	}
	return s.Versions.Version(ctx, ref)
}
