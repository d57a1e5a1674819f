package artifact

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// Scheme begins the address of a repository.
const Scheme = "oci://"

// Credentials are a user's name and password; the zero value has those that docker has.
type Credentials struct {
	User     string
	Password redact.Secret
}

// Repository is a repository of a registry, with the tag of its address.
type Repository struct {
	remote *remote.Repository
	name   string // HOST/REPO
	tag    string // "" where the address has none
}

// aliases are hosts that a registry has beside the one that is written, its own and the one that issues its tokens.
var aliases = map[string]network.Hosts{"docker.io": "registry-1.docker.io,auth.docker.io"}

// Parse returns the repository at an address: oci://HOST/REPO or oci://HOST/REPO:TAG.
func Parse(address string) (*Repository, error) {
	rest, ok := strings.CutPrefix(address, Scheme)
	ref, err := registry.ParseReference(rest)
	if !ok || err != nil || strings.Contains(ref.Reference, ":") {
		return nil, diag.Usage(fmt.Errorf("%s is no address of an OCI repository", redact.URL(address)),
			"Write it as oci://HOST/REPO, or oci://HOST/REPO:TAG.")
	}
	tag := ref.Reference
	ref.Reference = ""
	return &Repository{remote: &remote.Repository{Reference: ref}, name: ref.String(), tag: tag}, nil
}

// Name returns HOST/REPO.
func (r *Repository) Name() string { return r.name }

// Tag returns the tag of the address, "" where it has none.
func (r *Repository) Tag() string { return r.tag }

// Connect lets the repository be asked. Requests go to its own registry, for which naming it is the permission, and to
// hosts for which the network is allowed anyway. A registry on this machine is spoken to without TLS, as docker does.
func (r *Repository) Connect(c Credentials, p config.Permissions) error {
	host := r.remote.Reference.Registry
	allowed, err := network.ParseHost(host)
	if err != nil {
		return diag.Usage(fmt.Errorf("read the address of the repository: %w", err), "")
	}
	if more := aliases[host]; more != "" {
		allowed += "," + more
	}
	switch {
	case p.Network && p.Hosts == "":
		allowed = ""
	case p.Network:
		allowed += "," + p.Hosts
	}
	r.remote.PlainHTTP = isLoopback(host)
	client := &auth.Client{Header: http.Header{"User-Agent": {"rollstamp"}}, Cache: auth.NewCache(),
		Client: &http.Client{Transport: retry.NewTransport(allowed.Client().Transport)}}
	if client.Credential, err = c.function(r.remote.Reference.Host(), host); err != nil {
		return err
	}
	r.remote.Client = client
	return nil
}

// function returns what answers for which host there are which credentials.
func (c Credentials) function(hosts ...string) (auth.CredentialFunc, error) {
	if c.User != "" {
		login := auth.Credential{Username: c.User, Password: string(c.Password.Reveal())}
		return auth.StaticCredential(hosts[0], login), nil
	}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, diag.Usage(errors.New("read docker's file of credentials: it cannot be read"),
			"Mend it with docker login, or pass --username and --password-stdin.")
	}
	return credentials.Credential(store), nil
}

// isLoopback reports whether a host, with its port or without, is this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
