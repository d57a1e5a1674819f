package artifact

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// Scheme begins the address of a repository.
const Scheme = "oci://"

// Credentials are a user's name and password; without a user, those that docker has.
type Credentials struct {
	User     string
	Password redact.Secret
	Provider config.RegistryProvider // whose identity counts instead; "" is config.RegistryGeneric
	Logins   login.Source
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
	if host, _, _ := strings.Cut(rest, "/"); ok && strings.Contains(host, "@") {
		return nil, diag.Usage(fmt.Errorf("read the address %s: it has a user or a password, too", redact.URL(address)),
			"Log in with docker login, or pass --username and --password-stdin.")
	}
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

// CheckTag returns an error where a text is no tag.
func CheckTag(tag string) error {
	if err := (registry.Reference{Reference: tag}).ValidateReferenceAsTag(); err != nil {
		return diag.Usage(fmt.Errorf("%q is no tag", tag),
			"A tag has up to 128 letters, digits, and the signs _ . - of which only _ may begin it.")
	}
	return nil
}

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
	within := allowed.Client()
	within.Transport = retry.NewTransport(within.Transport)
	client := &auth.Client{Header: http.Header{"User-Agent": {"rollstamp"}}, Cache: auth.NewCache(), Client: within}
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
		if login.Password == "" {
			return nil, diag.Usage(errors.New("read the password: standard input is empty"),
				"Does what prints it fail, or is its variable not set?")
		}
		return auth.StaticCredential(hosts[0], login), nil
	}
	if c.Provider != "" && c.Provider != config.RegistryGeneric {
		return func(ctx context.Context, host string) (auth.Credential, error) {
			return c.Logins.Cloud(ctx, string(c.Provider), host)
		}, nil
	}
	if c.Logins.Docker == "" {
		return nil, nil
	}
	file, err := login.Read(c.Logins.Docker)
	if err != nil {
		return nil, unreadable("docker's file of credentials", err)
	}
	return func(ctx context.Context, host string) (auth.Credential, error) {
		found, err := file.Credential(ctx, host, c.Logins.Ask)
		if err != nil && ctx.Err() == nil {
			return found, unreadable("docker's credentials for "+host, err)
		}
		return found, err
	}, nil
}

func unreadable(what string, err error) error {
	return diag.Usage(fmt.Errorf("read %s: %w", what, err), strings.TrimSpace(diag.HintOf(err)+
		" Or log in again with docker login, or pass --username and --password-stdin."))
}

// isLoopback reports whether a host, with its port or without, is this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
