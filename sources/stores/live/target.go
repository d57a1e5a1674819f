package live

import (
	"maps"
	"regexp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
)

// addresses are the fields of providers that say where credentials would be sent. Those of AWS and Google Cloud stand
// in no store's object: an operator sets them for a private endpoint.
var addresses = map[config.StoreProvider]string{
	config.ProviderVault:      "server",
	config.ProviderAzure:      "vaultUrl",
	config.ProviderKubernetes: "server.url",
	config.ProviderWebhook:    "url",
	config.ProviderAWSSecrets: "endpoint",
	config.ProviderAWSParams:  "endpoint",
	config.ProviderGCP:        "endpoint",
}

// words are fields that become a part of an address of a cloud; nothing may lead out of it.
var words = map[config.StoreProvider][]string{
	config.ProviderAWSSecrets: {"region"},
	config.ProviderAWSParams:  {"region"},
	config.ProviderGCP:        {"projectID", "location"},
}

var word = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// openBao is External Secrets' name for a store that speaks as Vault does.
const openBao config.StoreProvider = "openBao"

// local are providers whose values lie on this machine: no manifest can say where, only the operator.
var local = []config.StoreProvider{config.ProviderFile, config.ProviderEnv}

// Target is a store that may be asked.
type Target struct {
	Provider    config.StoreProvider
	Fields      map[string]string
	Own         bool // the operator says where it is, not its object
	CAFile      string
	Credentials config.StoreCredentials
}

// Aim returns what a store is and whether it may be asked: what its object says counts as far as the operator has
// listed it. ambient is the address of the Vault that the environment names, which needs no rule; "" is none.
func Aim(s sources.Store, rules []config.StoreRule, ambient string) (*Target, *sources.Failure) {
	t := &Target{Provider: config.StoreProvider(s.Provider), Fields: maps.Clone(s.Fields)}
	if t.Provider == openBao {
		t.Provider = config.ProviderVault
	}
	if t.Fields == nil {
		t.Fields = map[string]string{}
	}
	rule := config.RuleFor(rules, s.Kind, s.Namespace, s.Name, s.Provider)
	if rule != nil {
		t.CAFile, t.Credentials = string(rule.CAFile), rule.Credentials
		if rule.Provider != "" && rule.Provider != t.Provider {
			t.Provider, t.Fields = rule.Provider, map[string]string{} // another provider's fields mean nothing to this one
		}
		maps.Copy(t.Fields, rule.Fields)
	}
	switch {
	case t.Provider == "":
		return nil, sources.Fail(sources.Incomplete, "")
	case !slices.Contains(t.Provider.Choices(), string(t.Provider)):
		return nil, sources.Fail(sources.Unsupported, string(t.Provider))
	case slices.Contains(local, t.Provider):
		if rule == nil || rule.Provider != t.Provider {
			return nil, sources.Fail(sources.Unlisted, string(t.Provider))
		}
		t.Fields = maps.Clone(rule.Fields)
		return t, nil
	}
	for _, field := range words[t.Provider] {
		if v := t.Fields[field]; v != "" && !word.MatchString(v) {
			return nil, sources.Fail(sources.Refused, field)
		}
	}
	return t, t.listed(rule, ambient)
}

// listed checks the address that credentials would go to.
func (t *Target) listed(rule *config.StoreRule, ambient string) *sources.Failure {
	field, has := addresses[t.Provider]
	if !has {
		return nil
	}
	if rule != nil && rule.Fields[field] != "" {
		t.Own = true
		if t.Provider == config.ProviderWebhook {
			t.Fields = maps.Clone(rule.Fields) // our token goes there: the object is not to say with what
		}
		return nil
	}
	if t.Provider == config.ProviderVault && t.Fields[field] == "" {
		t.Fields[field] = ambient
	}
	if t.Fields[field] == "" {
		return t.unaddressed()
	}
	origin, ok := config.Origin(t.Fields[field])
	if !ok {
		return sources.Fail(sources.Refused, field)
	}
	if own, ok := config.Origin(ambient); ok && own == origin && t.Provider == config.ProviderVault && t.Credentials == (config.StoreCredentials{}) {
		return nil
	}
	if rule == nil || !slices.Contains(rule.Addresses, config.StoreAddress(origin)) {
		f := sources.Fail(sources.Unlisted, origin)
		if own, ok := config.Origin(ambient); ok && own != origin && rule == nil && t.Provider == config.ProviderVault {
			f.Status += ", not " + config.EnvVaultAddr
		}
		return f
	}
	return nil
}

// unaddressed is right for a cluster where the operator's kubeconfig says where it is, and for clouds, which have
// addresses of their own.
func (t *Target) unaddressed() *sources.Failure {
	if t.Provider == config.ProviderKubernetes && t.Credentials.Kubeconfig != "" || words[t.Provider] != nil {
		return nil
	}
	return sources.Fail(sources.Incomplete, "no "+addresses[t.Provider])
}
