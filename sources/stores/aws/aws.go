// Package aws asks AWS for versions: Secrets Manager and the parameters of Systems Manager describe what they hold
// without showing it.
package aws

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/rollstamp/rollstamp/sources"
)

// Options say which account and region, and who we are for it.
type Options struct {
	Region   string // "" is the environment's
	Prefix   string // of every key
	Profile  string // of the shared configuration; "" is the environment's
	Role     string // to assume; "" is none
	Endpoint string // of the service, instead of AWS's own; "" is the environment's
	// ask for values where AWS returns a version with them only; they are not looked at
	Values bool
	CAFile string                                    // authorities to trust instead of the system's
	Wrap   func(http.RoundTripper) http.RoundTripper // what is careful with redirections and sizes
}

// load finds the region and who we are, as every program of AWS does. The role that a store's object names is the
// cluster's, not ours.
func load(ctx context.Context, o Options) (sdk.Config, error) {
	with := []func(*config.LoadOptions) error{
		config.WithRetryer(func() sdk.Retryer { return sdk.NopRetryer{} }), // the resolver asks again
		config.WithLogger(logging.Nop{}),
	}
	if o.Region != "" {
		with = append(with, config.WithRegion(o.Region))
	}
	if o.Profile != "" {
		with = append(with, config.WithSharedConfigProfile(o.Profile))
	}
	if o.CAFile != "" {
		pem, _, err := sources.Authorities(o.CAFile)
		if err != nil {
			return sdk.Config{}, err
		}
		with = append(with, config.WithCustomCABundle(bytes.NewReader(pem)))
	}
	cfg, err := config.LoadDefaultConfig(ctx, with...)
	if err != nil {
		return sdk.Config{}, sources.Fail(sources.NoIdentity,
			"the configuration of AWS cannot be read, or has no such profile")
	}
	if cfg.Region == "" {
		return sdk.Config{}, sources.Fail(sources.Incomplete, "no region")
	}
	if o.Wrap != nil {
		client, ok := cfg.HTTPClient.(*awshttp.BuildableClient) // the SDK takes no other while it loads
		if !ok {
			client = awshttp.NewBuildableClient() // it made none, as no authorities are named: each service would make its own
		}
		cfg.HTTPClient = &http.Client{Transport: o.Wrap(client.GetTransport())}
	}
	if o.Role != "" {
		cfg.Credentials = sdk.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), o.Role))
	}
	return cfg, nil
}

// codes are the errors of both services that mean something of their own. Any other is reported by its status alone: a
// code is what the server wrote.
var codes = map[string]sources.Class{
	"ResourceNotFoundException":   sources.NotFound,
	"ParameterNotFound":           sources.NotFound,
	"ParameterVersionNotFound":    sources.NotFound,
	"AccessDeniedException":       sources.NoPermit,
	"AccessDenied":                sources.NoPermit,
	"UnrecognizedClientException": sources.NoLogin,
	"InvalidClientTokenId":        sources.NoLogin,
	"ExpiredTokenException":       sources.NoLogin,
	"ExpiredToken":                sources.NoLogin,
	"InvalidSignatureException":   sources.NoLogin,
	"SignatureDoesNotMatch":       sources.NoLogin,
	"MissingAuthenticationToken":  sources.NoLogin,
	"IncompleteSignature":         sources.NoLogin,
	"ThrottlingException":         sources.Throttled,
	"Throttling":                  sources.Throttled,
	"TooManyRequestsException":    sources.Throttled,
	"RequestLimitExceeded":        sources.Throttled,
	"InternalServiceError":        sources.Unavailable,
	"InternalServerError":         sources.Unavailable,
	"ServiceUnavailable":          sources.Unavailable,
	"InvalidParameterException":   sources.Refused,
	"InvalidRequestException":     sources.Refused,
	"ValidationException":         sources.Refused,
	"InvalidFilterKey":            sources.Refused,
	"InvalidFilterValue":          sources.Refused,
	"DecryptionFailure":           sources.Refused,
}

// failure keeps class and status of an error of the SDK, whose words may be the server's.
func failure(err error, permission string) *sources.Failure {
	var api smithy.APIError
	var answered *smithyhttp.ResponseError
	var signing *smithy.CanceledError
	f := sources.Reason(err)
	switch {
	case errors.As(err, &api) && codes[api.ErrorCode()] != "":
		f = sources.Fail(codes[api.ErrorCode()], api.ErrorCode())
	case f.Class == sources.Redirected, f.Class == sources.TooLarge, f.Class == sources.TimedOut,
		f.Class == sources.Untrusted:
	// broken off behind the status, by AWS or by the SDK, which closes its own request while it is written
	case f.Class == sources.Unavailable:
	// there is one of nobody, too
	case errors.As(err, &answered) && answered.Response != nil && answered.HTTPStatusCode() > 0:
		f = sources.ByStatus(answered.HTTPStatusCode())
	case errors.As(err, &signing):
		f = sources.Fail(sources.Cancelled, "")
	case noIdentity(err):
		f = sources.Fail(sources.NoIdentity, "AWS")
	}
	if at := loginAt(err); at != "" {
		return notLoggedIn(at, f)
	}
	if f.Class == sources.NoPermit {
		f.Next = "Allow " + permission + " for the identity of this renderer; the value is not needed."
	}
	return f
}

// loginAt returns the service that was asked for an identity first, where that is what went wrong; "" where it is the
// question itself.
func loginAt(err error) (service string) {
	var question, login *smithy.OperationError
	if errors.As(err, &question) && errors.As(question.Err, &login) {
		return login.ServiceID
	}
	return ""
}

// notLoggedIn is the failure of a service that provides identities. The machine is the last that the SDK asks, where
// nothing names another.
func notLoggedIn(service string, f *sources.Failure) *sources.Failure {
	switch {
	case f.Class != sources.NoPermit && f.Class != sources.NotFound && f.Class != sources.Refused &&
		f.Class != sources.NoLogin:
		return f
	case service == imds.ServiceID:
		return sources.Fail(sources.NoIdentity, "AWS: none in the environment, nor of this machine")
	}
	return sources.Fail(sources.NoLogin, f.Status+", asking AWS for an identity")
}

// noIdentity reports whether the SDK found nobody to be: it says so while it signs, before anything is sent.
func noIdentity(err error) bool {
	var signing *sdk.RequestCanceledError
	var op *smithy.OperationError
	var send *smithyhttp.RequestSendError
	return errors.As(err, &op) && !errors.As(err, &send) && !errors.As(err, &signing) &&
		sources.Reason(err).Class == sources.Malformed
}
