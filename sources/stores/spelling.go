package stores

import (
	"context"
	"regexp"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// spelled is a store whose keys are spelled as its client takes them.
type spelled struct {
	sources.Versions
	cut func(key string) (string, error)
}

// Version is sources.Versions'.
func (s spelled) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	key, err := s.cut(ref.Key)
	if err != nil {
		return sources.Answer{}, err
	}
	ref.Key = key
	return s.Versions.Version(ctx, ref)
}

// before is by what the places of one class of the CSI driver differ: the type of an object of AWS, or the project of
// one of Google Cloud. Azure's types are a part of the key for its client, too.
var before = regexp.MustCompile(`^(?:secretsmanager/|ssmparameter/|projects/[^/]+/(?:locations/[^/]+/)?secrets/)`)

// The providers whose keys other tools write in ways of their own.
const (
	vaultName = "vault"
	gcpName   = "gcpsm"
)

// Spell returns a store that takes keys as the manifests of other tools than External Secrets write them.
func (t *Target) Spell(s sources.Store, versions sources.Versions) (sources.Versions, error) {
	switch {
	case t.Name == vaultName && s.HasUnknownEngine():
		return versions, nil // a path of Vault's API
	case s.Kind == sources.ProviderClass:
		return spelled{versions, func(key string) (string, error) {
			return key[len(before.FindString(key)):], nil
		}}, nil
	case s.Kind == sources.Placeholders && !t.Placeholders:
		return nil, sources.Fail(sources.Unsupported, sources.Placeholders+" with "+t.Name)
	case s.Kind == sources.Placeholders && t.Name == gcpName:
		project := "projects/" + t.Fields["projectID"] + "/secrets/"
		return spelled{versions, func(key string) (string, error) {
			name, own := strings.CutPrefix(key, project)
			if !own {
				return "", sources.Fail(sources.Refused, "the path is not below "+project)
			}
			return name, nil
		}}, nil
	}
	return versions, nil
}
