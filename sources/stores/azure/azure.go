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

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azkeys"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Options say which vault, and who we are for it.
type Options struct {
	URL      string
	Identity azcore.TokenCredential // nil is the machine's
	HTTP     policy.Transporter     // an *http.Client, but for tests
}

// Store is one vault.
type Store struct {
	secrets *azsecrets.Client
	keys    *azkeys.Client
}

// maxFound is how many secrets a search, or versions of one, are looked at.
const maxFound = 10_000

// Open returns the client of a vault.
func Open(t *stores.Target) (sources.Versions, error) {
	client, err := stores.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	return New(Options{URL: t.Fields["vaultUrl"], HTTP: client})
}

// New makes a client. It asks nobody yet.
func New(o Options) (*Store, error) {
	base := o.base()
	identity, err := o.identity()
	if err != nil {
		return nil, err
	}
	address, who, own := strings.TrimSuffix(o.URL, "/"), audience{identity}, !azures(o.URL)
	secrets, err := azsecrets.NewClient(address, who,
		&azsecrets.ClientOptions{ClientOptions: base, DisableChallengeResourceVerification: own})
	if err != nil {
		return nil, sources.Fail(sources.Refused, "vaultUrl")
	}
	keys, err := azkeys.NewClient(address, who,
		&azkeys.ClientOptions{ClientOptions: base, DisableChallengeResourceVerification: own})
	if err != nil {
		return nil, sources.Fail(sources.Refused, "vaultUrl")
	}
	return &Store{secrets, keys}, nil
}

// base is what all clients have: the resolver asks again.
func (o Options) base() policy.ClientOptions {
	return policy.ClientOptions{Transport: o.HTTP, Retry: policy.RetryOptions{MaxRetries: -1},
		Telemetry: policy.TelemetryOptions{Disabled: true}}
}

// identity returns who we are.
func (o Options) identity() (azcore.TokenCredential, error) {
	if o.Identity != nil {
		return o.Identity, nil
	}
	// Where to log in is the environment's word (AZURE_AUTHORITY_HOST), which nobody else has to confirm.
	identity, err := azidentity.NewDefaultAzureCredential(
		&azidentity.DefaultAzureCredentialOptions{ClientOptions: o.base(), DisableInstanceDiscovery: true})
	if err != nil {
		return nil, sources.Fail(sources.NoIdentity, "Azure")
	}
	return identity, nil
}

// domains are those of Key Vault in Azure's clouds, which are the names of what its tokens are for, too.
var domains = []string{"vault.azure.net", "vault.azure.cn", "vault.usgovcloudapi.net", "managedhsm.azure.net",
	"managedhsm.azure.cn", "managedhsm.usgovcloudapi.net"}

// azures reports whether a vault goes by a name of Azure's. Of one that does, the SDK compares the name with that of
// the service which it wants a token for; behind an operator's proxy it cannot.
func azures(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(domains,
		func(d string) bool { return strings.HasSuffix(strings.ToLower(u.Hostname()), "."+d) })
}

// audience returns tokens for Key Vault alone: which service a token is for is said by whoever asks for it.
type audience struct{ azcore.TokenCredential }

// GetToken is azcore.TokenCredential's.
func (a audience) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	for _, scope := range o.Scopes {
		if !slices.ContainsFunc(domains, func(d string) bool { return scope == "https://"+d+"/.default" }) {
			return azcore.AccessToken{}, sources.Fail(sources.Refused,
				"the vault wants a token for another service than Key Vault")
		}
	}
	token, err := a.TokenCredential.GetToken(ctx, o)
	var login *azidentity.AuthenticationFailedError
	if final(err) && !errors.As(err, &login) && sources.Reason(err).Class == sources.Malformed {
		err = sources.Fail(sources.NoIdentity, "Azure") // nobody was asked
	}
	return token, err
}

// plain is what a name looks like.
var plain = regexp.MustCompile(`^[A-Za-z0-9-]{1,127}$`)

// Version returns the id of the newest version. Azure has no mark on it: it is the one that was created last. Where
// that is disabled, whoever asks for the value is refused, and gets no older one.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (answer sources.Answer, err error) {
	defer func() {
		if recover() != nil { // the SDK panics where a challenge is none of Azure's
			answer, err = sources.Answer{}, sources.Fail(sources.Malformed, "challenge")
		}
	}()
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	kind, name, err := object(ref.Key)
	if err != nil {
		return sources.Answer{}, err
	}
	if ref.Version != "" {
		return sources.Answer{}, sources.Fail(sources.Refused, "version") // one that pins never gets here
	}
	ask := s.newestSecret
	if kind == key {
		ask = s.newestKey
	}
	now, err := ask(ctx, name)
	return sources.Answer{Version: now}, err
}

// What stands before the name of a secret, with a slash between.
const (
	secret      = "secret"
	certificate = "cert"
	key         = "key"
)

// object returns what is behind a remote key. Of a certificate, a secret of the same name has the same versions.
func object(of string) (kind, name string, err error) {
	kind, name, typed := strings.Cut(of, "/")
	if !typed {
		kind, name = secret, of
	}
	if kind != secret && kind != certificate && kind != key || !plain.MatchString(name) {
		return "", "", sources.Fail(sources.Refused, "key")
	}
	return kind, name, nil
}

func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	var items []sources.Item
	seen := 0
	for pages := s.secrets.NewListSecretPropertiesPager(nil); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return sources.Answer{}, failure(err, "secrets")
		}
		for _, p := range page.Value {
			if p == nil || p.ID == nil {
				return sources.Answer{}, sources.Fail(sources.Malformed, "list of secrets")
			}
			if seen++; seen > maxFound {
				return sources.Answer{}, sources.Fail(sources.TooLarge, "search")
			}
			name := p.ID.Name()
			if !pattern.MatchString(name) || !hasTags(p.Tags, f.Tags) || p.Attributes != nil && p.Attributes.Enabled != nil &&
				!*p.Attributes.Enabled {
				continue
			}
			version, err := s.newestSecret(ctx, name)
			if err != nil {
				return sources.Answer{}, err
			}
			items = append(items, sources.Item{Name: name, Version: version})
		}
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}

func hasTags(have map[string]*string, want map[string]string) bool {
	for k, v := range want {
		if h := have[k]; h == nil || *h != v {
			return false
		}
	}
	return true
}

// failure keeps the status of an error of the SDK, whose words may be the server's.
func failure(err error, listed string) *sources.Failure {
	var answered *azcore.ResponseError
	var login *azidentity.AuthenticationFailedError
	switch {
	case errors.As(err, &login):
		return sources.Fail(sources.NoLogin, "Azure identity")
	case errors.As(err, &answered):
		f := sources.ByStatus(answered.StatusCode)
		if f.Class == sources.NoPermit {
			f.Next = "Grant the role Key Vault Reader, or the permission to list " + listed +
				", to the identity of this renderer; to get is not needed."
		}
		return f
	}
	f := sources.Reason(err)
	if f.Class == sources.Malformed && final(err) {
		return sources.Fail(sources.NoLogin, "challenge")
	}
	return f
}

// final reports whether the SDK would not try again: it found no way to log in, or does not know the one that is asked
// for. It has no exported type for either but this mark.
func final(err error) bool {
	var mark interface{ NonRetriable() }
	return errors.As(err, &mark)
}

var _ policy.Transporter = (*http.Client)(nil)
