package network_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/network"
)

func TestHostsAreComparedWithPatterns(t *testing.T) {
	const hosts = network.Hosts("charts.example.com,*.corp,10.0.0.1:8443,::1")
	for address, want := range map[string]bool{
		"charts.example.com": true, "charts.example.com:8080": true, "Charts.Example.COM.": true, "a.charts.example.com": false,
		"example.com": false, "git.corp": true, "a.b.corp:22": true, "corp": false, "evilcorp": false, "git.corp.example": false,
		"10.0.0.1:8443": true, "10.0.0.1": false, "10.0.0.1:443": false, "[::1]:80": true, "[::2]:80": false, "": false,
	} {
		if err := hosts.Check(address); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := network.Hosts("").Check("anywhere"); err != nil {
		t.Errorf("without hosts: %v", err)
	}
}

func TestAnAddressWithoutAPortHasTheOneOfItsScheme(t *testing.T) {
	const hosts = network.Hosts("h:443,ssh.example:22")
	for address, want := range map[string]bool{
		"https://h/": true, "https://h:443/": true, "http://h/": false, "https://h:8443/": false, "http://h:443/": true,
		"ssh://git@ssh.example/a": true, "ssh://git@ssh.example:2222/a": false, "other://h/": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := hosts.Check(network.Address(u)); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestWhatIsNoHostIsRefused(t *testing.T) {
	for pattern, want := range map[string]network.Hosts{
		"Charts.example.com": "charts.example.com", "*.corp": "*.corp", "h:80": "h:80", "[::1]": "::1", "::1": "::1",
		"": "", "*": "", "*.": "", "a*.b": "", "https://h": "", "h/p": "", "u@h": "", "h:": "", "a,b": "", "a b": "", "a:b:c": "", "*.*.b": "",
	} {
		if got, err := network.ParseHost(pattern); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
}

func TestARedirectStaysInsideTheHosts(t *testing.T) {
	asked := 0
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, "here")
	}))
	defer target.Close()
	elsewhere := strings.Replace(target.URL, "127.0.0.1", "localhost", 1)
	first := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusFound))
	defer first.Close()
	get := func(client *http.Client, ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, first.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	within := func(h network.Hosts) context.Context { return h.Within(t.Context()) }
	for name, err := range map[string]error{
		"by the context": get(network.Client(), within("127.0.0.1")),
		"by the client":  get(network.Hosts("127.0.0.1").Client(), t.Context()),
		"the first one":  get(network.Client(), within("localhost")),
		"both count":     get(network.Hosts("127.0.0.1,localhost").Client(), within("127.0.0.1")),
	} {
		if err == nil || !strings.Contains(err.Error(), "the network is not allowed for") || asked > 0 {
			t.Errorf("%s: %v, asked %d times", name, err, asked)
		}
	}
	for _, h := range []network.Hosts{"", "127.0.0.1,localhost"} {
		if err := get(network.Client(), within(h)); err != nil {
			t.Errorf("%q: %v", h, err)
		}
	}
}

func TestARefusedHostHasThePortByWhichItIsAnotherOne(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"registry.example:5001":  "registry.example:5001", // 5000 is allowed
		"registry.example:443":   "registry.example:443",
		"other.example:443":      "other.example",
		"other.example":          "other.example",
		"other.example:8443":     "other.example",
		"a.below.example:8080":   "a.below.example:8080",
		"[2001:db8::1]:5000":     "2001:db8::1",
		"REGISTRY.example.:5001": "registry.example:5001",
	} {
		err := network.Hosts("registry.example:5000,*.below.example:443").Check(address)
		if hint := network.Hint(err, ""); !strings.Contains(fmt.Sprint(err), "not allowed for "+want+", but") ||
			!strings.Contains(hint, "--allow network="+want+".") {
			t.Errorf("%s: %v; %s", address, err, hint)
		}
	}
}
