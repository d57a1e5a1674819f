// Package azure asks Azure's Key Vault for versions, which it lists without showing what they hold.
package azure

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	"github.com/rollstamp/rollstamp/sources"
)

// Options say which vault, and who we are for it.
type Options struct {
	URL      string
	Identity azcore.TokenCredential // nil is the machine's
	HTTP     policy.Transporter     // an *http.Client, but for tests
	// Own is for a vault under another name than Azure's: the name that the answer to a request without a token gives is not compared.
	Own bool
}

// Store is one vault.
type Store struct {
	client *azsecrets.Client
}

// maxFound is how many secrets a search, or versions of one, are looked at.
const maxFound = 10_000

// New makes a client. It asks nobody yet.
func New(o Options) (*Store, error) {
	base := policy.ClientOptions{Transport: o.HTTP, Retry: policy.RetryOptions{MaxRetries: -1}, Telemetry: policy.TelemetryOptions{Disabled: true}}
	if o.Identity == nil {
		identity, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: base})
		if err != nil {
			return nil, sources.Fail(sources.NoLogin, "no credentials of Azure")
		}
		o.Identity = identity
	}
	client, err := azsecrets.NewClient(strings.TrimSuffix(o.URL, "/"), o.Identity,
		&azsecrets.ClientOptions{ClientOptions: base, DisableChallengeResourceVerification: o.Own})
	if err != nil {
		return nil, sources.Fail(sources.Refused, "vaultUrl")
	}
	return &Store{client}, nil
}

// plain is what a name looks like.
var plain = regexp.MustCompile(`^[A-Za-z0-9-]{1,127}$`)

// Version gives the id of the newest version. Azure has no mark on it: it is the enabled one that was created last.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	name, err := secret(ref.Key)
	if err != nil {
		return sources.Answer{}, err
	}
	if ref.Version != "" {
		return sources.Answer{}, sources.Fail(sources.Refused, "version") // one that pins never gets here
	}
	version, err := s.newest(ctx, name)
	return sources.Answer{Version: version}, err
}

// secret gives the name of the secret behind a key. Certificates and the private parts of keys are secrets of the same name.
func secret(key string) (string, error) {
	kind, name, typed := strings.Cut(key, "/")
	switch {
	case !typed:
		name = key
	case kind == "key":
		return "", sources.Fail(sources.Unsupported, "key/: only secrets and certificates have versions here")
	case kind != "secret" && kind != "cert":
		return "", sources.Fail(sources.Refused, "key")
	}
	if !plain.MatchString(name) {
		return "", sources.Fail(sources.Refused, "key")
	}
	return name, nil
}

// newest goes through all versions, which come in no order.
func (s *Store) newest(ctx context.Context, name string) (string, error) {
	var version string
	var created time.Time
	seen := 0
	for pages := s.client.NewListSecretPropertiesVersionsPager(name, nil); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", failure(err)
		}
		for _, p := range page.Value {
			if p == nil || p.ID == nil || p.Attributes == nil || p.Attributes.Created == nil {
				return "", sources.Fail(sources.Malformed, "list of versions")
			}
			seen++
			if p.Attributes.Enabled != nil && !*p.Attributes.Enabled {
				continue
			}
			id := p.ID.Version()
			if c := *p.Attributes.Created; version == "" || c.After(created) || c.Equal(created) && id > version {
				version, created = id, c
			}
		}
		if seen > maxFound {
			return "", sources.Fail(sources.TooLarge, "versions")
		}
	}
	switch {
	case seen == 0:
		return "", sources.Fail(sources.NotFound, "")
	case version == "":
		return "", sources.Fail(sources.Disabled, "all versions")
	}
	return version, nil
}

func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	pattern, err := regexp.Compile(f.Name)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Refused, "name of the search")
	}
	var items []sources.Item
	seen := 0
	for pages := s.client.NewListSecretPropertiesPager(nil); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return sources.Answer{}, failure(err)
		}
		for _, p := range page.Value {
			if p == nil || p.ID == nil {
				return sources.Answer{}, sources.Fail(sources.Malformed, "list of secrets")
			}
			if seen++; seen > maxFound {
				return sources.Answer{}, sources.Fail(sources.TooLarge, "search")
			}
			name := p.ID.Name()
			if !pattern.MatchString(name) || !tagged(p.Tags, f.Tags) || p.Attributes != nil && p.Attributes.Enabled != nil && !*p.Attributes.Enabled {
				continue
			}
			version, err := s.newest(ctx, name)
			if err != nil {
				return sources.Answer{}, err
			}
			items = append(items, sources.Item{Name: name, Version: version})
		}
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}

func tagged(have map[string]*string, want map[string]string) bool {
	for k, v := range want {
		if h := have[k]; h == nil || *h != v {
			return false
		}
	}
	return true
}

// failure keeps the status of an error of the SDK, whose words may be the server's.
func failure(err error) *sources.Failure {
	var answered *azcore.ResponseError
	var login *azidentity.AuthenticationFailedError
	switch {
	case errors.As(err, &login):
		return sources.Fail(sources.NoLogin, "Azure identity")
	case errors.As(err, &answered):
		f := sources.ByStatus(answered.StatusCode)
		if f.Class == sources.NoPermit {
			f.Next = "Grant the role Key Vault Reader, or the permission to list secrets, to the identity of this renderer; to get is not needed."
		}
		return f
	}
	f := sources.Reason(err)
	if f.Class == sources.Malformed && noIdentity(err) {
		return sources.Fail(sources.NoLogin, "no credentials of Azure")
	}
	return f
}

// noIdentity tells whether no way to log in was there at all. The SDK has no exported type for it but this mark.
func noIdentity(err error) bool {
	var mark interface{ NonRetriable() }
	return errors.As(err, &mark)
}

var _ policy.Transporter = (*http.Client)(nil)
