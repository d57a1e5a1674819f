// Package azure asks Azure's Key Vault for versions, which it lists without showing what they hold.
package azure

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
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
		// Where to log in is the environment's word (AZURE_AUTHORITY_HOST), which nobody else has to confirm.
		identity, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: base, DisableInstanceDiscovery: true})
		if err != nil {
			return nil, sources.Fail(sources.NoLogin, "no credentials of Azure")
		}
		o.Identity = identity
	}
	client, err := azsecrets.NewClient(strings.TrimSuffix(o.URL, "/"), audience{o.Identity},
		&azsecrets.ClientOptions{ClientOptions: base, DisableChallengeResourceVerification: !azures(o.URL)})
	if err != nil {
		return nil, sources.Fail(sources.Refused, "vaultUrl")
	}
	return &Store{client}, nil
}

// domains are those of Key Vault in Azure's clouds, which are the names of what its tokens are for, too.
var domains = []string{"vault.azure.net", "vault.azure.cn", "vault.usgovcloudapi.net", "managedhsm.azure.net", "managedhsm.azure.cn", "managedhsm.usgovcloudapi.net"}

// azures tells whether a vault goes by a name of Azure's. Of one that does, the SDK compares the name with that of the service which it
// wants a token for; behind an operator's proxy it cannot.
func azures(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(domains, func(d string) bool { return strings.HasSuffix(strings.ToLower(u.Hostname()), "."+d) })
}

// audience gives tokens for Key Vault alone: which service a token is for is said by whoever asks for it.
type audience struct{ azcore.TokenCredential }

// GetToken is azcore.TokenCredential's.
func (a audience) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	for _, scope := range o.Scopes {
		if !slices.ContainsFunc(domains, func(d string) bool { return scope == "https://"+d+"/.default" }) {
			return azcore.AccessToken{}, sources.Fail(sources.Refused, "the vault wants a token for another service than Key Vault")
		}
	}
	return a.TokenCredential.GetToken(ctx, o)
}

// plain is what a name looks like.
var plain = regexp.MustCompile(`^[A-Za-z0-9-]{1,127}$`)

// Version gives the id of the newest version. Azure has no mark on it: it is the one that was created last. Where that is disabled,
// whoever asks for the value is refused, and gets no older one.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (answer sources.Answer, err error) {
	defer func() {
		if recover() != nil { // the SDK panics where a challenge is none of Azure's
			answer, err = sources.Answer{}, sources.Fail(sources.Malformed, "challenge")
		}
	}()
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
	var enabled bool
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
			id := p.ID.Version()
			if c := *p.Attributes.Created; version == "" || c.After(created) || c.Equal(created) && id > version {
				version, created, enabled = id, c, p.Attributes.Enabled == nil || *p.Attributes.Enabled
			}
		}
		if seen > maxFound {
			return "", sources.Fail(sources.TooLarge, "versions")
		}
	}
	switch {
	case seen == 0:
		return "", sources.Fail(sources.NotFound, "")
	case !enabled:
		return "", sources.Fail(sources.Disabled, "")
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
