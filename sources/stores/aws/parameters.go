package aws

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/rollstamp/rollstamp/sources"
)

// Parameters is the parameter store of Systems Manager.
type Parameters struct {
	prefix string
	values bool
	client *ssm.Client
}

// NewParameters makes a client. It reads the machine's configuration of AWS, and asks nobody yet.
func NewParameters(ctx context.Context, o Options) (*Parameters, error) {
	cfg, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Parameters{o.Prefix, o.Values, ssm.NewFromConfig(cfg, func(own *ssm.Options) {
		if o.Endpoint != "" {
			own.BaseEndpoint = &o.Endpoint
		}
	})}, nil
}

const describe = "ssm:DescribeParameters on all resources"

var numbered = regexp.MustCompile(`^[1-9][0-9]*$`)

// Version returns the number of a parameter's newest version, or of the one that a label is on. To describe shows no
// value, where to get would.
func (p *Parameters) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return p.find(ctx, ref.Find)
	}
	name, selector := cutSelector(p.prefix + ref.Key)
	if selector != "" && ref.Version != "" {
		return sources.Answer{}, sources.Fail(sources.Refused, "a version in the key and another beside it")
	}
	var version string
	var err error
	switch selector = cmp.Or(selector, ref.Version); {
	case numbered.MatchString(selector):
		return sources.Answer{Version: selector}, nil
	case selector != "":
		version, err = p.labelVersion(ctx, name+":"+selector)
	default:
		version, err = p.newest(ctx, name)
	}
	switch {
	case err != nil:
		return sources.Answer{}, err
	case version == "":
		return sources.Answer{}, sources.Fail(sources.NotFound, "")
	}
	return sources.Answer{Version: version}, nil
}

// arn is what the ARN of a parameter begins with. Names hold no colon.
var arn = regexp.MustCompile(`^arn:[a-z0-9-]+:ssm:[a-z0-9-]+:[0-9]+:parameter`)

// cutSelector cuts the version or label off, which may follow a colon.
func cutSelector(key string) (name, selector string) {
	at := arn.FindString(key)
	name, selector, _ = strings.Cut(key[len(at):], ":")
	return at + name, selector
}

// newest finds a parameter by its name or ARN. One by its ARN may be another account's that is shared with us.
func (p *Parameters) newest(ctx context.Context, name string) (version string, err error) {
	names := []string{name}
	if at := arn.FindString(name); at != "" { // the slash is the name's, or only between the two
		names = []string{name[len(at):], strings.TrimPrefix(name[len(at):], "/")}
	}
	see := func(m types.ParameterMetadata) {
		if sdk.ToString(m.Name) == name || sdk.ToString(m.ARN) == name {
			version = strconv.FormatInt(m.Version, 10)
		}
	}
	equal := types.ParameterStringFilter{Key: sdk.String("Name"), Option: sdk.String("Equals"), Values: names}
	err = p.each(ctx, &ssm.DescribeParametersInput{ParameterFilters: []types.ParameterStringFilter{equal}}, see)
	if err == nil && version == "" && len(names) > 1 {
		err = p.each(ctx, &ssm.DescribeParametersInput{Shared: sdk.Bool(true)}, see)
	}
	return version, err
}

// labelVersion returns the number of the version that a label is on, which AWS returns with the value only. Nothing is
// decrypted.
func (p *Parameters) labelVersion(ctx context.Context, name string) (version string, err error) {
	if !p.values {
		f := sources.Fail(sources.Unsupported, "label of a parameter")
		f.Next = "AWS returns the version of a label only together with the value: permit store-values and ssm:GetParameter, or pin the number."
		return "", f
	}
	out, err := p.client.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: sdk.Bool(false)})
	if err != nil {
		return "", failure(err, "ssm:GetParameter")
	}
	if out.Parameter == nil || out.Parameter.Version < 1 {
		return "", sources.Fail(sources.Malformed, "parameter")
	}
	return strconv.FormatInt(out.Parameter.Version, 10), nil
}

// find describes what a search names. External Secrets looks at tags where there is no name.
func (p *Parameters) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	var filters []types.ParameterStringFilter
	if f.Path != "" {
		filters = append(filters, types.ParameterStringFilter{Key: sdk.String("Path"), Option: sdk.String("Recursive"),
			Values: []string{f.Path}})
	}
	for k, v := range f.Tags {
		if f.Name != "" {
			break
		}
		filters = append(filters, types.ParameterStringFilter{Key: sdk.String("tag:" + k), Values: []string{v}})
	}
	var items []sources.Item
	err = p.each(ctx, &ssm.DescribeParametersInput{ParameterFilters: filters}, func(m types.ParameterMetadata) {
		if name := sdk.ToString(m.Name); pattern.MatchString(name) {
			items = append(items, sources.Item{Name: name, Version: strconv.FormatInt(m.Version, 10)})
		}
	})
	return sources.Answer{Version: sources.SetVersion(items)}, err
}

// each goes through all pages: AWS may return empty ones before the one that holds something.
func (p *Parameters) each(ctx context.Context, in *ssm.DescribeParametersInput,
	see func(types.ParameterMetadata)) error {
	in.MaxResults = sdk.Int32(50)
	seen := 0
	pages := ssm.NewDescribeParametersPaginator(p.client, in)
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
