package azure

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// registryScopes are what tokens for registries are for, by how their names end in Azure's clouds.
var registryScopes = map[string]string{
	".azurecr.io": "https://containerregistry.azure.net/.default",
	".azurecr.cn": "https://containerregistry.azure.cn/.default",
	".azurecr.us": "https://containerregistry.azure.us/.default",
}

// RegistryLogin returns what a registry of Azure has for the machine's identity. A token of that goes to registries of
// Azure alone.
func RegistryLogin(ctx context.Context, host string) (auth.Credential, error) {
	client, err := stores.Client("")
	if err != nil {
		return auth.EmptyCredential, err
	}
	return registryLogin(ctx, host, Options{HTTP: client})
}

func registryLogin(ctx context.Context, host string, o Options) (auth.Credential, error) {
	scope := ""
	for end, of := range registryScopes {
		if strings.HasSuffix(host, end) {
			scope = of
		}
	}
	if scope == "" {
		return auth.EmptyCredential, sources.Fail(sources.Refused, host+" is no registry of Azure")
	}
	identity, err := o.identity()
	if err != nil {
		return auth.EmptyCredential, err
	}
	token, err := identity.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.NoIdentity, "Azure")
	}
	form := url.Values{"grant_type": {"access_token"}, "service": {host}, "access_token": {token.Token}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+"/oauth2/exchange",
		strings.NewReader(form.Encode()))
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.Refused, host)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := o.HTTP.Do(req)
	if err != nil {
		return auth.EmptyCredential, sources.Reason(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return auth.EmptyCredential, sources.ByStatus(res.StatusCode)
	}
	var answer struct {
		Token string `json:"refresh_token"`
	}
	if json.NewDecoder(res.Body).Decode(&answer) != nil || answer.Token == "" {
		return auth.EmptyCredential, sources.Fail(sources.Malformed, host)
	}
	return auth.Credential{RefreshToken: answer.Token}, nil
}
