package stores

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
)

func TestAnAddressIsAskedOnlyWhereTheOperatorListedIt(t *testing.T) {
	const home, evil = "https://vault.example:8200", "https://evil.example"
	listed := config.StoreRule{Match: config.StoreMatch{Name: "*"}, Addresses: []config.StoreAddress{home}}
	own := config.StoreRule{Match: config.StoreMatch{Name: "*"}, Fields: map[string]string{"server": home}}
	cluster := config.StoreRule{Match: config.StoreMatch{Name: "*"}, Credentials: config.StoreCredentials{Kubeconfig: "kubeconfig"}}
	withToken := listed
	withToken.Credentials.TokenFile = "token"
	vault := func(server string) sources.Store {
		return sources.Store{Kind: "SecretStore", Name: "x", Provider: "vault", Fields: map[string]string{"server": server}}
	}
	of := func(provider string, fields ...string) sources.Store {
		s := sources.Store{Kind: "SecretStore", Name: "x", Provider: provider, Fields: map[string]string{}}
		for i := 0; i < len(fields); i += 2 {
			s.Fields[fields[i]] = fields[i+1]
		}
		return s
	}
	provider := func(p config.StoreProvider, fields map[string]string) config.StoreRule {
		return config.StoreRule{Match: config.StoreMatch{Name: "*"}, Provider: p, Fields: fields}
	}
	for _, c := range []struct {
		name    string
		store   sources.Store
		rule    *config.StoreRule
		ambient string
		want    sources.Class // "" is allowed
		server  string
	}{
		{"nobody listed it", vault(home), nil, "", sources.Unlisted, ""},
		{"the operator listed it", vault(home), &listed, "", "", home},
		{"with a path and another case", vault("HTTPS://Vault.example:8200/v1"), &listed, "", "", "HTTPS://Vault.example:8200/v1"},
		{"another one", vault(evil), &listed, "", sources.Unlisted, ""},
		{"one that begins the same", vault(home + ".evil.example"), &listed, "", sources.Refused, ""},
		{"one with a user", vault("https://vault.example:8200@evil.example"), &listed, "", sources.Refused, ""},
		{"without TLS", vault("http://vault.example:8200"), &listed, "", sources.Unlisted, ""},
		{"the operator's own beats the object's", vault(evil), &own, "", "", home},
		{"OpenBao", of("openBao", "server", home), &listed, "", "", home},
		{"that of the environment", vault(home), nil, home + "/", "", home},
		{"not that of the environment", vault(evil), nil, home, sources.Unlisted, ""},
		{"that of the environment where the store says none", of("vault"), nil, home, "", home},
		{"the environment's token goes nowhere else", vault(evil), &listed, home, sources.Unlisted, ""},
		{"credentials of a rule do not go to the environment's address", vault(evil), &withToken, evil, sources.Unlisted, ""},
		{"no address", of("vault"), &listed, "", sources.Incomplete, ""},
		{"a store that is nowhere", of(""), nil, "", sources.Incomplete, ""},
		{"a provider that is not known", of("akeyless"), nil, "", sources.Unsupported, ""},
		{"a region", of("aws-sm", "region", "eu-central-1"), nil, "", "", ""},
		{"a region that leads elsewhere", of("aws-sm", "region", "x.evil.example/"), nil, "", sources.Refused, ""},
		{"a location that leads elsewhere", of("gcpsm", "projectID", "p", "location", "x.evil.example#"), nil, "", sources.Refused, ""},
		{"a project", of("gcpsm", "projectID", "my-project-1"), nil, "", "", ""},
		{"an Azure vault", of("azurekv", "vaultUrl", evil), nil, "", sources.Unlisted, ""},
		{"an endpoint of a cloud that the object names", of("aws-sm", "region", "eu-central-1", "endpoint", evil), nil, "", sources.Unlisted, ""},
		{"likewise, of another cloud", of("gcpsm", "projectID", "p", "endpoint", evil), &listed, "", sources.Unlisted, ""},
		{"an endpoint of a cloud that the operator listed", of("aws-ssm", "region", "eu-central-1", "endpoint", home), &listed, "", "", ""},
		{"a cluster without a rule", of("kubernetes"), nil, "", sources.Incomplete, ""},
		{"a cluster", of("kubernetes", "server.url", evil), nil, "", sources.Unlisted, ""},
		{"the cluster of the operator's kubeconfig", of("kubernetes"), &cluster, "", "", ""},
		{"a webhook", of("webhook", "url", evil+"/{{ .remoteRef.key }}"), &listed, "", sources.Unlisted, ""},
		{"files, by a manifest", of("file", "path", "/etc"), nil, "", sources.Unlisted, ""},
		{"files, by a manifest under a rule for all stores", of("file", "path", "/etc"), &listed, "", sources.Unlisted, ""},
		{"variables, by a manifest", of("env"), nil, "", sources.Unlisted, ""},
		{"files instead of what the manifest says", vault(evil), ptr(provider("file", map[string]string{"path": "/srv"})), "", "", ""},
		{"fake", of("fake", "data", "[]"), nil, "", "", ""},
	} {
		var rules []config.StoreRule
		if c.rule != nil {
			rules = append(rules, *c.rule)
		}
		operator := Operator{
			Rules: rules,
			Env:   func(name string) (string, bool) { return c.ambient, name == config.EnvVaultAddr },
		}
		got, f := operator.Target(c.store)
		switch {
		case c.want == "" && f != nil, c.want != "" && (f == nil || f.Class != c.want):
			t.Errorf("%s: got %v", c.name, f)
		case c.want == "" && got.Fields["server"] != c.server:
			t.Errorf("%s: the server is %q", c.name, got.Fields["server"])
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestTwoStoresOfOneNameHaveTheCredentialsOfTheirAddress(t *testing.T) {
	const a, b = "https://a.example.com", "https://b.example.com:8200"
	rule := func(address config.StoreAddress, role config.NonEmpty) config.StoreRule {
		return config.StoreRule{Match: config.StoreMatch{Name: "vault", Address: address},
			Addresses: []config.StoreAddress{address}, Credentials: config.StoreCredentials{KubernetesRole: role}}
	}
	operator := Operator{Rules: []config.StoreRule{rule(a, "one"), rule(b, "two")},
		Env: func(string) (string, bool) { return b, true }}
	for server, want := range map[string]config.NonEmpty{a: "one", a + ":443/": "one", b: "two", "": "two", "https://c.example.com": "",
		"http://a.example.com": "", "https://a.example.com.evil.example": ""} {
		s := sources.Store{Kind: "SecretStore", Name: "vault", Provider: "vault", Fields: map[string]string{"server": server}}
		target, f := operator.Target(s)
		switch {
		case want == "" && (f == nil || f.Class != sources.Unlisted):
			t.Errorf("%s: got %v", server, f)
		case want != "" && (f != nil || target.Credentials.KubernetesRole != want):
			t.Errorf("%s: got %+v, %v", server, target, f)
		}
	}
}

func TestATokenIsNotSentOnToWhereAManifestSays(t *testing.T) {
	const server, own = "https://sdk.example.com:9998", "https://vault.example.org"
	for _, c := range []struct {
		identity string
		rule     config.StoreRule
		want     sources.Class
	}{
		{"https://identity.bitwarden.com/", config.StoreRule{Addresses: []config.StoreAddress{server}}, ""},
		{"", config.StoreRule{Addresses: []config.StoreAddress{server}}, ""},
		{own, config.StoreRule{Addresses: []config.StoreAddress{server}}, sources.Unlisted},
		{own, config.StoreRule{Fields: map[string]string{"bitwardenServerSDKURL": server}}, sources.Unlisted},
		{own, config.StoreRule{Addresses: []config.StoreAddress{server, own}}, ""},
		{"https://evil.example", config.StoreRule{Addresses: []config.StoreAddress{server}, Fields: map[string]string{"identityURL": own}}, ""},
		{"https://identity.bitwarden.com@evil.example", config.StoreRule{Addresses: []config.StoreAddress{server}}, sources.Refused},
	} {
		c.rule.Match.Name = "*"
		operator := Operator{Rules: []config.StoreRule{c.rule}, Env: func(string) (string, bool) { return "", false }}
		target, f := operator.Target(sources.Store{Provider: "bitwardensecretsmanager",
			Fields: map[string]string{"bitwardenServerSDKURL": server, "identityURL": c.identity}})
		switch {
		case c.want == "" && f != nil, c.want != "" && (f == nil || f.Class != c.want):
			t.Errorf("%+v: got %v", c, f)
		case c.want == "" && target.Fields["identityURL"] == "https://evil.example":
			t.Errorf("%+v: the manifest's counts", c)
		}
	}
}

func TestAManifestDoesNotWriteIntoTheOperatorsFiles(t *testing.T) {
	rule := config.StoreRule{Match: config.StoreMatch{Name: "*"}, Provider: "file", Fields: map[string]string{"path": "/srv"}}
	s := sources.Store{Kind: "SecretStore", Name: "x", Provider: "file", Fields: map[string]string{"path": "/etc", "other": "x"}}
	operator := Operator{Rules: []config.StoreRule{rule}}
	got, f := operator.Target(s)
	if f != nil || got.Fields["path"] != "/srv" {
		t.Errorf("got %+v, %v", got, f)
	}
	if s.Fields["path"] != "/etc" {
		t.Error("the store was changed")
	}
}
