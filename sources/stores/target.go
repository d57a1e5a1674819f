package stores

import (
	"maps"
	"regexp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
)

// Operator is what the operator of this machine allows to ask, and with which credentials.
type Operator struct {
	Rules   []config.StoreRule // the first that matches a store counts
	Env     config.Env
	Values  bool // values may be read, for a keyed digest of them
	HashKey bool // there is a key to digest them with
}

// Target is a store that may be asked.
type Target struct {
	*sources.Provider
	Fields      map[string]string
	FromRule    bool // the operator says where it is, not its object
	CAFile      string
	Credentials config.StoreCredentials
	Operator    *Operator
}

// ReadValues reports whether a client may read values: only where there is a key to digest them with.
func (t *Target) ReadValues() bool { return t.Operator.Values && t.Operator.HashKey }

// addressPart is what a part of an address may be.
var addressPart = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Target returns what a store is, if it may be asked: what its object says counts as far as the operator has listed it.
func (o *Operator) Target(s sources.Store) (*Target, *sources.Failure) {
	provider, fields := s.Provider, maps.Clone(s.Fields)
	if p := sources.ProviderOf(provider); p != nil {
		provider = p.Name
	}
	if fields == nil {
		fields = map[string]string{}
	}
	t := &Target{Operator: o}
	rule := o.ruleFor(s)
	if rule != nil {
		t.CAFile, t.Credentials = string(rule.CAFile), rule.Credentials
		if rule.Provider != "" && string(rule.Provider) != provider {
			provider, fields = string(rule.Provider), map[string]string{} // another provider's fields mean nothing to this one
		}
		maps.Copy(fields, rule.Fields)
	}
	t.Provider, t.Fields = sources.ProviderOf(provider), fields
	switch {
	case provider == "":
		return nil, sources.Fail(sources.Incomplete, "")
	case t.Provider == nil:
		f := sources.Fail(sources.Unsupported, provider)
		f.Next = "Let its manifests count, with secrets: {stores: [{match: {provider: " + provider +
			"}, policy: spec}]} in .rollstamp.yaml, or pin remoteRef.version."
		return nil, f
	case t.Local:
		if rule == nil || string(rule.Provider) != t.Name {
			return nil, sources.Fail(sources.Unlisted, t.Name)
		}
		t.Fields = maps.Clone(rule.Fields)
		return t, nil
	}
	for _, field := range t.AddressParts {
		if v := fields[field]; v != "" && !addressPart.MatchString(v) {
			return nil, sources.Fail(sources.Refused, field)
		}
	}
	return t, t.checkAddress(rule)
}

// ruleFor returns the operator's rule for a store, or nil. A store whose object names no address is where the
// environment says.
func (o *Operator) ruleFor(s sources.Store) *config.StoreRule {
	if p := sources.ProviderOf(s.Provider); p != nil && p.Environment != "" && s.Address() == "" {
		if address, ok := o.Env(p.Environment); ok {
			fields := maps.Clone(s.Fields)
			if fields == nil {
				fields = map[string]string{}
			}
			fields[p.Address], s.Fields = address, fields
		}
	}
	return config.RuleFor(o.Rules, &s)
}

// checkAddress checks the address that credentials would go to.
func (t *Target) checkAddress(rule *config.StoreRule) *sources.Failure {
	if f := t.checkFurtherAddresses(rule); f != nil {
		return f
	}
	field := t.Address
	if field == "" {
		return nil
	}
	if rule != nil && rule.Fields[field] != "" {
		t.FromRule = true
		if t.OperatorsFields {
			t.Fields = maps.Clone(rule.Fields)
		}
		return nil
	}
	ambient := t.ambient()
	if t.Fields[field] == "" && ambient != "" {
		t.Fields[field] = ambient
	}
	if t.Fields[field] == "" {
		return t.checkUnaddressed()
	}
	origin, ok := config.Origin(t.Fields[field])
	if !ok {
		return sources.Fail(sources.Refused, field)
	}
	own, ok := config.Origin(ambient)
	if ok && own == origin && t.Credentials == (config.StoreCredentials{}) {
		return nil
	}
	if rule == nil || !slices.Contains(rule.Addresses, config.StoreAddress(origin)) {
		f := sources.Fail(sources.Unlisted, origin)
		if ok && own != origin && rule == nil {
			f.Status += ", not " + t.Environment
		}
		return f
	}
	return nil
}

// checkFurtherAddresses checks the addresses that the store itself would send credentials on to.
func (t *Target) checkFurtherAddresses(rule *config.StoreRule) *sources.Failure {
	for _, field := range slices.Sorted(maps.Keys(t.FurtherAddresses)) {
		if t.Fields[field] == "" || rule != nil && rule.Fields[field] != "" {
			continue
		}
		origin, ok := config.Origin(t.Fields[field])
		switch {
		case !ok:
			return sources.Fail(sources.Refused, field)
		case slices.Contains(t.FurtherAddresses[field], origin):
		case rule == nil || !slices.Contains(rule.Addresses, config.StoreAddress(origin)):
			return sources.Fail(sources.Unlisted, origin)
		}
	}
	return nil
}

// ambient returns the address of the store that the environment names, which needs no rule, or "".
func (t *Target) ambient() string {
	if t.Environment == "" {
		return ""
	}
	address, _ := t.Operator.Env(t.Environment)
	return address
}

// checkUnaddressed is right for a cluster where the operator's kubeconfig says where it is, and for clouds, which have
// addresses of their own.
func (t *Target) checkUnaddressed() *sources.Failure {
	if t.Kubeconfig && t.Credentials.Kubeconfig != "" || t.AddressParts != nil {
		return nil
	}
	return sources.Fail(sources.Incomplete, "no "+t.Address)
}
