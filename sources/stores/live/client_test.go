package live

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
)

func get(t *testing.T, caFile, url string) error {
	t.Helper()
	c, err := Client(caFile)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+canary)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func TestNoRedirectionIsFollowed(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(other.URL, status))
		if err := get(t, "", s.URL); !errors.Is(err, sources.ErrRedirected) || reached {
			t.Errorf("%d: %v, reached %v", status, err, reached)
		}
		s.Close()
	}
}

func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"that says its length": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "104857600") },
		"that never ends": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		},
	} {
		s := httptest.NewServer(handler)
		if err := get(t, "", s.URL); !errors.Is(err, sources.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

func TestOnlyAuthoritiesThatAreNamedVouchForAStore(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	if f := sources.Reason(get(t, "", s.URL)); f.Class != sources.Untrusted {
		t.Errorf("got %v", f)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write := func(b []byte) {
		if err := os.WriteFile(ca, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	if err := get(t, ca, s.URL); err != nil {
		t.Errorf("with its own authority: %v", err)
	}
	write([]byte("none"))
	if _, err := Client(ca); err == nil {
		t.Error("a file without a certificate was taken")
	}
	if _, err := Client(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was taken")
	}
}

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
		got, f := Aim(c.store, rules, c.ambient)
		switch {
		case c.want == "" && f != nil, c.want != "" && (f == nil || f.Class != c.want):
			t.Errorf("%s: got %v", c.name, f)
		case c.want == "" && got.Fields["server"] != c.server:
			t.Errorf("%s: the server is %q", c.name, got.Fields["server"])
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestAManifestDoesNotWriteIntoTheOperatorsFiles(t *testing.T) {
	rule := config.StoreRule{Match: config.StoreMatch{Name: "*"}, Provider: "file", Fields: map[string]string{"path": "/srv"}}
	s := sources.Store{Kind: "SecretStore", Name: "x", Provider: "file", Fields: map[string]string{"path": "/etc", "other": "x"}}
	got, f := Aim(s, []config.StoreRule{rule}, "")
	if f != nil || got.Fields["path"] != "/srv" {
		t.Errorf("got %+v, %v", got, f)
	}
	if s.Fields["path"] != "/etc" {
		t.Error("the store was changed")
	}
}
