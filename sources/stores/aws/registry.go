package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// ecrHost is the name of a registry of ECR, with its region and the domain of AWS.
var ecrHost = regexp.MustCompile(`^\d{12}\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.(amazonaws\.com(?:\.cn)?)$`)

// RegistryLogin returns the password of an hour that ECR has for the machine's identity.
func RegistryLogin(ctx context.Context, host string) (auth.Credential, error) {
	name := ecrHost.FindStringSubmatch(host)
	if name == nil {
		return auth.EmptyCredential, sources.Fail(sources.Refused, host+" is no registry of ECR")
	}
	cfg, err := load(ctx, Options{Region: name[1], Wrap: stores.Careful})
	if err != nil {
		return auth.EmptyCredential, err
	}
	endpoint := "https://api.ecr." + name[1] + "." + name[2] + "/"
	if cfg.BaseEndpoint != nil {
		endpoint = *cfg.BaseEndpoint
	}
	return ecrLogin(ctx, cfg, endpoint)
}

// ecrLogin asks the service for a password. It is one call, for which the SDK's client of ECR would be megabytes.
func ecrLogin(ctx context.Context, cfg sdk.Config, endpoint string) (auth.Credential, error) {
	const body = "{}"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.Refused, "the endpoint of AWS")
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken")
	who, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.NoIdentity, "AWS")
	}
	sum := sha256.Sum256([]byte(body))
	err = v4.NewSigner().SignHTTP(ctx, who, req, hex.EncodeToString(sum[:]), "ecr", cfg.Region, time.Now())
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.NoIdentity, "AWS")
	}
	res, err := cfg.HTTPClient.Do(req)
	if err != nil {
		return auth.EmptyCredential, sources.Reason(err)
	}
	defer func() { _ = res.Body.Close() }()
	return ecrPassword(res)
}

// ecrPassword reads the service's answer.
func ecrPassword(res *http.Response) (auth.Credential, error) {
	var answer struct {
		Type string `json:"__type"`
		Data []struct {
			Token []byte `json:"authorizationToken"`
		} `json:"authorizationData"`
	}
	err := json.NewDecoder(res.Body).Decode(&answer)
	if res.StatusCode != http.StatusOK {
		code := answer.Type[strings.LastIndexByte(answer.Type, '#')+1:]
		if class := codes[code]; class != "" {
			return auth.EmptyCredential, sources.Fail(class, code)
		}
		return auth.EmptyCredential, sources.ByStatus(res.StatusCode)
	}
	if err != nil || len(answer.Data) == 0 {
		return auth.EmptyCredential, sources.Fail(sources.Malformed, "ECR")
	}
	user, password, ok := strings.Cut(string(answer.Data[0].Token), ":")
	if !ok {
		return auth.EmptyCredential, sources.Fail(sources.Malformed, "ECR")
	}
	return auth.Credential{Username: user, Password: password}, nil
}
