package azure

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

// transport answers each request itself.
type transport func(*http.Request) (*http.Response, error)

// Do is policy.Transporter's.
func (f transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestARegistryOfAzureExchangesTheTokenOfTheMachine(t *testing.T) {
	status, body := http.StatusOK, `{"refresh_token": "of-the-registry"}`
	var asked string
	o := Options{Identity: identity{}, HTTP: transport(func(r *http.Request) (*http.Response, error) {
		if err := r.ParseForm(); err != nil {
			return nil, err
		}
		asked = fmt.Sprint(r.Method, " ", r.URL, " ", r.PostForm.Encode())
		w := httptest.NewRecorder()
		w.WriteHeader(status)
		_, _ = w.WriteString(body)
		return w.Result(), nil
	})}
	got, err := registryLogin(t.Context(), "shop.azurecr.io", o)
	if err != nil || got.RefreshToken != "of-the-registry" || got.Username != "" {
		t.Errorf("%+v, %v", got, err)
	}
	const want = "POST https://shop.azurecr.io/oauth2/exchange access_token=" + canary + "&grant_type=access_token&service=shop.azurecr.io"
	if asked != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	for _, c := range []struct {
		status int
		body   string
		want   sources.Class
	}{{401, canary, sources.NoLogin}, {200, canary, sources.Malformed}, {200, "{}", sources.Malformed}, {503, "", sources.Unavailable}} {
		status, body = c.status, c.body
		_, err := registryLogin(t.Context(), "shop.azurecr.io", o)
		var f *sources.Failure
		if !errors.As(err, &f) || f.Class != c.want || strings.Contains(err.Error(), canary) {
			t.Errorf("%d: %v, want %s", c.status, err, c.want)
		}
	}
	asked = ""
	for _, host := range []string{"ghcr.io", "azurecr.io", "shop.azurecr.io.example.com", "shop.azurecr.io:5000"} {
		if _, err := registryLogin(t.Context(), host, o); err == nil || asked != "" {
			t.Errorf("%s: %v, asked %q", host, err, asked)
		}
	}
	who := Options{Identity: identity{err: errors.New(canary)}, HTTP: o.HTTP}
	if _, err := registryLogin(t.Context(), "shop.azurecr.io", who); err == nil || strings.Contains(err.Error(), canary) {
		t.Error(err)
	}
}
