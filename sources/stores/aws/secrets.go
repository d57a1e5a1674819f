package aws

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"github.com/rollstamp/rollstamp/sources"
)

// current is the stage of the version that a reader gets who asks for none.
const current = "AWSCURRENT"

// maxFound is how many secrets a search looks at.
const maxFound = 10_000

// Secrets is Secrets Manager.
type Secrets struct {
	prefix string
	client *secretsmanager.Client
}

// NewSecrets makes a client. It reads the machine's configuration of AWS, and asks nobody yet.
func NewSecrets(ctx context.Context, o Options) (*Secrets, error) {
	cfg, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	// the endpoint of roles is another
	return &Secrets{o.Prefix, secretsmanager.NewFromConfig(cfg, func(own *secretsmanager.Options) {
		if o.Endpoint != "" {
			own.BaseEndpoint = &o.Endpoint
		}
	})}, nil
}

// Version returns the id of the version that has the stage which is asked for, by default AWSCURRENT.
func (s *Secrets) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	stage := ref.Version
	if stage == "" {
		stage = current
	}
	out, err := s.client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: sdk.String(s.prefix + ref.Key)})
	if err != nil {
		return sources.Answer{}, failure(err, "secretsmanager:DescribeSecret")
	}
	if out.DeletedDate != nil {
		f := sources.Fail(sources.Deleted, "marked for deletion")
		f.Next = "Restore the secret, or take it out of the manifest."
		return sources.Answer{}, f
	}
	version, ok := holder(out.VersionIdsToStages, stage)
	if !ok {
		return sources.Answer{}, sources.Fail(sources.NotFound, "no version has the stage")
	}
	return sources.Answer{Version: version}, nil
}

// holder returns the version that has a stage. AWS lets one have it.
func holder(stages map[string][]string, stage string) (version string, ok bool) {
	for id, has := range stages {
		if slices.Contains(has, stage) && (!ok || id < version) {
			version, ok = id, true
		}
	}
	return version, ok
}

// find lists what a search names. What AWS's filters let through counts, which take the beginnings of tags and values:
// External Secrets looks no closer. The dates that AWS returns move when a tag is edited; the stages do not.
func (s *Secrets) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	in := &secretsmanager.ListSecretsInput{}
	if f.Path != "" {
		in.Filters = append(in.Filters, types.Filter{Key: types.FilterNameStringTypeName, Values: []string{f.Path}})
	}
	for k, v := range f.Tags {
		in.Filters = append(in.Filters,
			types.Filter{Key: types.FilterNameStringTypeTagKey, Values: []string{k}},
			types.Filter{Key: types.FilterNameStringTypeTagValue, Values: []string{v}})
	}
	var items []sources.Item
	for pages := secretsmanager.NewListSecretsPaginator(s.client, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return sources.Answer{}, failure(err, "secretsmanager:ListSecrets")
		}
		for _, e := range page.SecretList {
			name := sdk.ToString(e.Name)
			if e.DeletedDate != nil || !strings.HasPrefix(name, f.Path) || !pattern.MatchString(name) {
				continue
			}
			version, ok := holder(e.SecretVersionsToStages, current)
			if !ok {
				continue // never had a value
			}
			items = append(items, sources.Item{Name: name, Version: version})
		}
		if len(items) > maxFound {
			return sources.Answer{}, sources.Fail(sources.TooLarge, "search")
		}
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}
