// Package gcp asks Google Cloud's Secret Manager for versions, which it describes without showing what they hold.
package gcp

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	secretmanager "cloud.google.com/go/secretmanager/apiv1"
	"cloud.google.com/go/secretmanager/apiv1/secretmanagerpb"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/sources"
)

// Options say which project, and who we are for it.
type Options struct {
	Project  string
	Location string // "" is the global service
	Fallback bool   // take the newest enabled version where the latest is not: the store says LatestOrFetch
	Endpoint string // https://host[:port] of the service, instead of Google's own; "" is Google's
	CAFile   string // authorities to trust instead of the system's
	Client   []option.ClientOption
}

// File returns the option that takes credentials from the operator's file, of whatever type it says that it is.
func File(path string) (option.ClientOption, error) {
	text, err := os.ReadFile(path)
	var head struct {
		Type option.CredentialsType `json:"type"`
	}
	if err != nil || json.Unmarshal(text, &head) != nil || head.Type == "" {
		return nil, sources.Fail(sources.NoIdentity, "none in "+path)
	}
	return option.WithAuthCredentialsFile(head.Type, path), nil
}

// Store is one project.
type Store struct {
	Options
	client *secretmanager.Client
}

// maxFound is how many secrets a search looks at; maxAnswer is the size of the largest answer.
const (
	maxFound  = 10_000
	maxAnswer = 8 << 20
)

// New makes a client. It reads the machine's identity, and asks nobody yet.
func New(ctx context.Context, o Options) (*Store, error) {
	if o.Project == "" {
		return nil, sources.Fail(sources.Incomplete, "no projectID")
	}
	limited := grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer))
	with := []option.ClientOption{option.WithGRPCDialOption(limited)}
	if o.Location != "" {
		with = append(with, option.WithEndpoint("secretmanager."+o.Location+".rep.googleapis.com:443"))
	}
	own, err := o.place()
	if err != nil {
		return nil, err
	}
	with = append(append(with, own...), o.Client...) // the last that says something counts
	client, err := secretmanager.NewClient(ctx, with...)
	if err != nil {
		f := sources.Fail(sources.NoIdentity, "Google Cloud")
		f.Next = "Give them with credentialsFile in the operator's policy file, or with GOOGLE_APPLICATION_CREDENTIALS."
		return nil, f
	}
	client.CallOptions = &secretmanager.CallOptions{} // the resolver asks again
	return &Store{o, client}, nil
}

// place returns the options of a service that is somewhere else, or that others vouch for.
func (o *Options) place() (with []option.ClientOption, err error) {
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" {
			return nil, sources.Fail(sources.Refused, "endpoint: it is no https://host[:port]")
		}
		with = append(with, option.WithEndpoint(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443"))))
	}
	if o.CAFile != "" {
		_, trusted, err := sources.Authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		trust := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted})
		with = append(with, option.WithGRPCDialOption(grpc.WithTransportCredentials(trust)))
	}
	return with, nil
}

func (s *Store) parent() string {
	if s.Location != "" {
		return "projects/" + s.Project + "/locations/" + s.Location
	}
	return "projects/" + s.Project
}

// plain is what a secret's id, a version or an alias looks like. Nothing else becomes a part of a name.
var plain = regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)

// Version returns the number of the version that is asked for, by default the latest.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	version := ref.Version
	if version == "" {
		version = "latest"
	}
	if !plain.MatchString(ref.Key) || !plain.MatchString(version) {
		return sources.Answer{}, sources.Fail(sources.Refused, "key or version")
	}
	number, err := s.newest(ctx, s.parent()+"/secrets/"+ref.Key, version)
	return sources.Answer{Version: number}, err
}

// newest returns the number of a version that can be read.
func (s *Store) newest(ctx context.Context, secret, version string) (string, error) {
	v, err := s.client.GetSecretVersion(ctx,
		&secretmanagerpb.GetSecretVersionRequest{Name: secret + "/versions/" + version})
	if err != nil {
		return "", failure(err, "secretmanager.versions.get")
	}
	if v.State != secretmanagerpb.SecretVersion_ENABLED && version == "latest" && s.Fallback {
		return s.newestEnabled(ctx, secret)
	}
	number := v.Name[strings.LastIndexByte(v.Name, '/')+1:]
	switch {
	case !plain.MatchString(number):
		return "", sources.Fail(sources.Malformed, "name of the version")
	case v.State == secretmanagerpb.SecretVersion_DISABLED:
		return "", sources.Fail(sources.Disabled, "version "+number)
	case v.State == secretmanagerpb.SecretVersion_DESTROYED:
		return "", sources.Fail(sources.Deleted, "version "+number+" is destroyed")
	case v.State != secretmanagerpb.SecretVersion_ENABLED:
		return "", sources.Fail(sources.Malformed, "state of the version")
	}
	return number, nil
}

// newestEnabled returns the newest version that is enabled. The service lists the newest first.
func (s *Store) newestEnabled(ctx context.Context, secret string) (string, error) {
	it := s.client.ListSecretVersions(ctx, &secretmanagerpb.ListSecretVersionsRequest{Parent: secret,
		Filter: "state:ENABLED", PageSize: 1})
	v, err := it.Next()
	if errors.Is(err, iterator.Done) {
		return "", sources.Fail(sources.Disabled, "no version is enabled")
	}
	if err != nil {
		return "", failure(err, "secretmanager.versions.list")
	}
	number := v.Name[strings.LastIndexByte(v.Name, '/')+1:]
	if !plain.MatchString(number) {
		return "", sources.Fail(sources.Malformed, "name of the version")
	}
	return number, nil
}

// find lists what a search names. External Secrets looks at labels where there is no name.
func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	labels := f.Tags
	if f.Name != "" {
		labels = nil
	}
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	var items []sources.Item
	seen := 0
	for it := s.client.ListSecrets(ctx, &secretmanagerpb.ListSecretsRequest{Parent: s.parent()}); ; {
		e, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return sources.Answer{}, failure(err, "secretmanager.secrets.list")
		}
		if seen++; seen > maxFound {
			return sources.Answer{}, sources.Fail(sources.TooLarge, "search")
		}
		name := e.Name[strings.LastIndexByte(e.Name, '/')+1:]
		if !strings.HasPrefix(name, f.Path) || !pattern.MatchString(name) || !hasTags(e.Labels, labels) ||
			!plain.MatchString(name) {
			continue
		}
		number, err := s.newest(ctx, s.parent()+"/secrets/"+name, "latest")
		if isPassedOver(err) {
			continue
		}
		if err != nil {
			return sources.Answer{}, err
		}
		items = append(items, sources.Item{Name: name, Version: number})
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}

// isPassedOver reports whether a search goes on without a secret: one that holds nothing.
func isPassedOver(err error) bool {
	var f *sources.Failure
	return errors.As(err, &f) && slices.Contains([]sources.Class{sources.NotFound, sources.Deleted, sources.Disabled},
		f.Class)
}

func hasTags(have, want map[string]string) bool {
	for k, v := range want {
		if h, ok := have[k]; !ok || h != v {
			return false
		}
	}
	return true
}

var classes = map[codes.Code]sources.Class{
	codes.NotFound: sources.NotFound, codes.PermissionDenied: sources.NoPermit, codes.Unauthenticated: sources.NoLogin,
	codes.ResourceExhausted: sources.Throttled, codes.Unavailable: sources.Unavailable,
	codes.Internal:         sources.Unavailable,
	codes.DeadlineExceeded: sources.TimedOut, codes.Canceled: sources.Cancelled, codes.InvalidArgument: sources.Refused,
	codes.FailedPrecondition: sources.Refused, codes.Aborted: sources.Unavailable,
}

// failure keeps the code of an error of gRPC, whose words may be the server's.
func failure(err error, permission string) *sources.Failure {
	st, ok := status.FromError(err)
	if !ok {
		return sources.Reason(err)
	}
	code := st.Code()
	class, known := classes[code]
	if !known {
		class = sources.Malformed
	}
	f := sources.Fail(class, fmt.Sprintf("gRPC %s", code))
	switch {
	case code == codes.ResourceExhausted && strings.Contains(st.Message(), "received message larger than max"):
		f.Class = sources.TooLarge
	case class == sources.NoPermit:
		f.Next = "Grant " + permission + " to the identity of this renderer; secretmanager.versions.access is not needed."
	}
	return f
}
