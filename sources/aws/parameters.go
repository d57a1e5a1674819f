package aws

import (
	"context"
	"regexp"
	"strconv"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/rollstamp/rollstamp/sources"
)

// Parameters is the parameter store of Systems Manager.
type Parameters struct {
	prefix string
	client *ssm.Client
}

// NewParameters makes a client. It reads the machine's configuration of AWS, and asks nobody yet.
func NewParameters(ctx context.Context, o Options) (*Parameters, error) {
	cfg, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Parameters{o.Prefix, ssm.NewFromConfig(cfg, func(own *ssm.Options) {
		if o.Endpoint != "" {
			own.BaseEndpoint = &o.Endpoint
		}
	})}, nil
}

const describe = "ssm:DescribeParameters on all resources"

// Version gives the number of a parameter's newest version. To describe shows no value, where to get would.
func (p *Parameters) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	switch {
	case ref.Find != nil:
		return p.find(ctx, ref.Find)
	case ref.Version != "":
		return sources.Answer{}, sources.Fail(sources.Unsupported, "labels of a parameter cannot be described; pin its number")
	}
	name := p.prefix + ref.Key
	var version string
	err := p.each(ctx, []types.ParameterStringFilter{{Key: sdk.String("Name"), Option: sdk.String("Equals"), Values: []string{name}}}, func(m types.ParameterMetadata) {
		if sdk.ToString(m.Name) == name {
			version = strconv.FormatInt(m.Version, 10)
		}
	})
	switch {
	case err != nil:
		return sources.Answer{}, err
	case version == "":
		return sources.Answer{}, sources.Fail(sources.NotFound, "")
	}
	return sources.Answer{Version: version}, nil
}

func (p *Parameters) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	pattern, err := regexp.Compile(f.Name)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Refused, "name of the search")
	}
	var filters []types.ParameterStringFilter
	if f.Path != "" {
		filters = append(filters, types.ParameterStringFilter{Key: sdk.String("Path"), Option: sdk.String("Recursive"), Values: []string{f.Path}})
	}
	for k, v := range f.Tags {
		filters = append(filters, types.ParameterStringFilter{Key: sdk.String("tag:" + k), Values: []string{v}})
	}
	var items []sources.Item
	err = p.each(ctx, filters, func(m types.ParameterMetadata) {
		if name := sdk.ToString(m.Name); pattern.MatchString(name) {
			items = append(items, sources.Item{Name: name, Version: strconv.FormatInt(m.Version, 10)})
		}
	})
	return sources.Answer{Version: sources.SetVersion(items)}, err
}

// each goes through all pages: AWS may give empty ones before the one that holds something.
func (p *Parameters) each(ctx context.Context, filters []types.ParameterStringFilter, see func(types.ParameterMetadata)) error {
	seen := 0
	pages := ssm.NewDescribeParametersPaginator(p.client, &ssm.DescribeParametersInput{ParameterFilters: filters, MaxResults: sdk.Int32(50)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return failure(err, describe)
		}
		for _, m := range page.Parameters {
			see(m)
		}
		if seen += len(page.Parameters); seen > maxFound {
			return sources.Fail(sources.TooLarge, "search")
		}
	}
	return nil
}
