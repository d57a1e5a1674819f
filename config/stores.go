package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// StoreRule is what the operator says of stores: where they may be asked, and with which credentials. Only the
// operator's policy file holds such rules; the first that matches a store counts.
type StoreRule struct {
	// Which stores the entry is for.
	Match StoreMatch `yaml:"match" json:"match" schema:"required"`
	// What the store is, where the input does not hold its object, or is not to decide.
	Provider StoreProvider `yaml:"provider" json:"provider,omitempty"`
	// Fields of the provider's part of the store's object, by dotted path, instead of what the object says.
	Fields map[string]string `yaml:"fields" json:"fields,omitempty"`
	// Addresses that a store's object may name, as scheme://host[:port]. An address in fields needs no listing.
	Addresses []StoreAddress `yaml:"addresses" json:"addresses,omitempty"`
	// File with the authorities that vouch for the store, in PEM, instead of the system's.
	CAFile NonEmpty `yaml:"caFile" json:"caFile,omitempty"`
	// Who we are for the store; the ambient identity where absent.
	Credentials StoreCredentials `yaml:"credentials" json:"credentials,omitzero"`
}

// StoreMatch selects stores; every field that is given must fit, and at least one is.
type StoreMatch struct {
	// SecretStore, ClusterSecretStore, or what plays its part, in any case of its letters.
	Kind NonEmpty `yaml:"kind" json:"kind,omitempty"`
	// Glob of the name.
	Name Glob `yaml:"name" json:"name,omitempty"`
	// Glob of the namespace.
	Namespace Glob `yaml:"namespace" json:"namespace,omitempty"`
	// What the store is, by its own object.
	Provider StoreProvider `yaml:"provider" json:"provider,omitempty"`
	// Where the store is by its own object, as scheme://host[:port]; where that says nothing, by the environment.
	Address StoreAddress `yaml:"address" json:"address,omitempty"`
}

func (m *StoreMatch) check() error {
	if *m == (StoreMatch{}) {
		return errors.New(`an empty match would fit every store; write name: "*" if that is meant`)
	}
	return nil
}

// Matches reports whether a store fits, as its own object describes it.
func (m StoreMatch) Matches(s *sources.Store) bool {
	return (m.Kind == "" || strings.EqualFold(string(m.Kind), s.Kind)) &&
		(m.Name == "" || m.Name.Match(s.Name)) &&
		(m.Namespace == "" || m.Namespace.Match(s.Namespace)) &&
		(m.Provider == "" || string(m.Provider) == s.Provider) &&
		m.Address.fits(s)
}

// StoreCredentials say who we are for a store. Which fields count depends on the provider.
type StoreCredentials struct {
	// vault, webhook, kubernetes, onepassword, bitwardensecretsmanager: file that holds the token.
	TokenFile NonEmpty `yaml:"tokenFile" json:"tokenFile,omitempty"`
	// vault, webhook, onepassword, bitwardensecretsmanager: environment variable that holds the token.
	TokenEnv NonEmpty `yaml:"tokenEnv" json:"tokenEnv,omitempty"`
	// vault: the role to log in as with the token of a Kubernetes service account, which tokenFile holds.
	KubernetesRole NonEmpty `yaml:"kubernetesRole" json:"kubernetesRole,omitempty"`
	// vault: the role's id to log in with by AppRole; tokenFile holds the secret id.
	AppRole NonEmpty `yaml:"appRole" json:"appRole,omitempty"`
	// vault: where the way to log in is mounted; kubernetes or approle where absent.
	Mount NonEmpty `yaml:"mount" json:"mount,omitempty"`
	// aws-sm, aws-ssm: profile of the shared configuration.
	Profile NonEmpty `yaml:"profile" json:"profile,omitempty"`
	// aws-sm, aws-ssm: role to assume.
	AssumeRole NonEmpty `yaml:"assumeRole" json:"assumeRole,omitempty"`
	// gcpsm: file with credentials, as GOOGLE_APPLICATION_CREDENTIALS.
	CredentialsFile NonEmpty `yaml:"credentialsFile" json:"credentialsFile,omitempty"`
	// kubernetes: kubeconfig of the cluster.
	Kubeconfig NonEmpty `yaml:"kubeconfig" json:"kubeconfig,omitempty"`
	// kubernetes: context in the kubeconfig, where not its current one.
	Context NonEmpty `yaml:"context" json:"context,omitempty"`
}

func (c *StoreCredentials) check() error {
	switch {
	case c.TokenFile != "" && c.TokenEnv != "":
		return errors.New("tokenFile and tokenEnv: set one of them")
	case c.KubernetesRole != "" && c.AppRole != "":
		return errors.New("kubernetesRole and appRole: set one of them")
	case c.AppRole != "" && c.TokenFile == "" && c.TokenEnv == "":
		return errors.New("appRole: the secret id is missing; name its file with tokenFile")
	}
	return nil
}

// StoreProvider is what a store is, by External Secrets' name of it.
type StoreProvider string

// Choices lists the providers that can be asked.
func (StoreProvider) Choices() []string {
	var names []string
	for _, p := range sources.Providers() {
		names = append(names, p.Name)
	}
	return names
}

// UnmarshalText takes one of Choices.
func (p *StoreProvider) UnmarshalText(b []byte) error { return choose(p, string(b)) }

// StoreAddress is scheme://host[:port], without a path: the whole of a server is trusted, or nothing of it.
type StoreAddress string

// UnmarshalText takes an address of https or http.
func (a *StoreAddress) UnmarshalText(b []byte) error {
	origin, ok := Origin(string(b))
	u, err := url.Parse(string(b))
	if !ok || err != nil || strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is no address such as https://vault.example.com:8200", b)
	}
	*a = StoreAddress(origin)
	return nil
}

// Origin returns what StoreAddress holds of a URL: scheme, host and port, in lower case and without the scheme's own
// port. It takes no URL with a user in it.
func Origin(address string) (origin string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	host := strings.ToLower(u.Host)
	if u.Port() == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	return u.Scheme + "://" + strings.TrimSuffix(host, ":"), true
}

// maskStores returns rules as they are printed: of fields, which may hold a request with its headers, the names.
func maskStores(rules []StoreRule) []StoreRule {
	out := slices.Clone(rules)
	for i, r := range out {
		out[i].Fields = map[string]string{}
		for name := range r.Fields {
			out[i].Fields[name] = redact.Mask
		}
	}
	return out
}

// RuleFor returns the first rule that matches a store as its own object describes it, or nil.
func RuleFor(rules []StoreRule, s *sources.Store) *StoreRule {
	for i := range rules {
		if rules[i].Match.Matches(s) {
			return &rules[i]
		}
	}
	return nil
}

// fits reports whether an address is that of a store, by its object; "" fits each.
func (a StoreAddress) fits(s *sources.Store) bool {
	if a == "" {
		return true
	}
	origin, ok := Origin(s.Address())
	return ok && origin == string(a)
}
