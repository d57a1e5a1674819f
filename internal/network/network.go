// Package network keeps what a run asks over the network to the hosts that it is allowed for.
package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Hosts are patterns with commas between them: a host, with a port where only that one is meant, or *.DOMAIN for all
// below a domain. "" is every host.
type Hosts string

// ParseHost returns a pattern in the form in which Hosts hold it.
func ParseHost(pattern string) (Hosts, error) {
	host := strings.ToLower(strings.TrimSpace(pattern))
	if strings.Count(host, ":") > 1 { // an address of IPv6
		address := strings.Trim(host, "[]")
		if net.ParseIP(address) == nil {
			return "", fmt.Errorf("%q is no host", pattern)
		}
		return Hosts(address), nil
	}
	name, port, found := strings.Cut(strings.TrimPrefix(host, "*."), ":")
	if name == "" || found && port == "" || strings.ContainsAny(host, ",/@ \t") || strings.ContainsAny(name, "*:") {
		return "", fmt.Errorf("%q is no host; write charts.example.com, or *.example.com for all below it", pattern)
	}
	return Hosts(host), nil
}

// Check refuses a host, with its port where it has one, that is not among them.
func (h Hosts) Check(address string) error {
	host := strings.ToLower(address)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	shown := name
	for pattern := range strings.SplitSeq(string(h), ",") {
		if h == "" || fits(pattern, name, port) {
			return nil
		}
		if fits(withoutPort(pattern), name, port) { // by its name alone it would seem to be allowed
			shown = withPort(name, port)
		}
	}
	return &RefusedError{shown, h}
}

// withoutPort returns a pattern for all ports of its hosts.
func withoutPort(pattern string) string {
	if at := strings.LastIndexByte(pattern, ':'); at >= 0 && net.ParseIP(pattern) == nil {
		return pattern[:at]
	}
	return pattern
}

// withPort returns a host as a pattern for one port of it, which an address of IPv6 has not.
func withPort(name, port string) string {
	if port == "" || strings.Contains(name, ":") {
		return name
	}
	return name + ":" + port
}

// RefusedError is the error of a host that the network is not allowed for.
type RefusedError struct {
	Host    string // with its port where it is allowed with another one
	Allowed Hosts
}

// Error implements error.
func (e *RefusedError) Error() string {
	allowed := strings.ReplaceAll(string(e.Allowed), ",", ", ")
	return fmt.Sprintf("the network is not allowed for %s, but for %s", e.Host, allowed)
}

// Hint returns the next step after an error: that of a host that the network is not allowed for, else the other one.
func Hint(err error, otherwise string) string {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return "If it may be asked, too, pass --allow network=" + refused.Host + "."
	}
	return cmp.Or(diag.HintOf(err), otherwise)
}

// defaultPorts are those of addresses without one, by their schemes.
var defaultPorts = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418"}

// Address returns the host of an address with its port, which is that of the scheme where the address has none.
func Address(u *url.URL) string {
	port := defaultPorts[u.Scheme]
	if u.Port() != "" || port == "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// fits compares a pattern with a host and its port.
func fits(pattern, name, port string) bool {
	if host := withoutPort(pattern); host != pattern {
		if pattern[len(host)+1:] != port {
			return false
		}
		pattern = host
	}
	if below, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(name, below) && name != below
	}
	return name == pattern
}

type key struct{}

// Within returns a context whose requests reach these hosts only. Every host is no change.
func (h Hosts) Within(ctx context.Context) context.Context {
	if h == "" {
		return ctx
	}
	return context.WithValue(ctx, key{}, h)
}

// Of returns the hosts that a context allows.
func Of(ctx context.Context) Hosts {
	h, _ := ctx.Value(key{}).(Hosts)
	return h
}

// Client returns a client whose requests reach the hosts that their context allows, wherever they are redirected to.
func Client() *http.Client { return Hosts("").Client() }

// Client returns a client whose requests, redirected ones included, reach these hosts only.
func (h Hosts) Client() *http.Client {
	return &http.Client{Transport: bounded{h}, CheckRedirect: checkRedirect}
}

// maxRedirects bounds how often one request is sent elsewhere, as package http does where nobody asks.
const maxRedirects = 10

// checkRedirect ends a request that goes in circles. It is set because some libraries take a client without such a
// function for one that follows all redirects.
func checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return errCircle
	}
	return nil
}

var errCircle = fmt.Errorf("it was redirected %d times", maxRedirects)

// bounded checks each request, of which a redirect is one more.
type bounded struct{ hosts Hosts }

// RoundTrip sends a request that is allowed.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, hosts := range []Hosts{b.hosts, Of(r.Context())} {
		if err := hosts.Check(Address(r.URL)); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	res, err := watch(http.DefaultTransport, r, patience)
	if err != nil {
		return nil, err
	}
	return withoutCredentials(r, res)
}
