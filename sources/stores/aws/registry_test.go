package aws

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const registryHost = "123456789012.dkr.ecr.eu-west-1.amazonaws.com"

func TestECRHasAPasswordForTheIdentityOfTheMachine(t *testing.T) {
	answer := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"authorizationData": [{"authorizationToken": "QVdTOnBhc3M6d29yZA=="}]}`)
	}
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r)
		answer(w, r)
	}))
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "canary-secret")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	got, err := RegistryLogin(t.Context(), registryHost)
	if err != nil || got.Username != "AWS" || got.Password != "pass:word" || len(asked) != 1 {
		t.Fatalf("%q, %v", got.Username, err)
	}
	h := asked[0].Header
	if !strings.Contains(h.Get("Authorization"), "/eu-west-1/ecr/aws4_request") ||
		h.Get("X-Amz-Target") != "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken" {
		t.Errorf("asked with %v", h)
	}
	for _, c := range []struct {
		status int
		body   string
		want   sources.Class
	}{
		{400, `{"__type": "UnrecognizedClientException", "message": "canary"}`, sources.NoLogin},
		{400, `{"__type": "com.amazonaws#AccessDeniedException"}`, sources.NoPermit},
		{503, "canary", sources.Unavailable},
		{200, "canary", sources.Malformed},
		{200, `{"authorizationData": []}`, sources.Malformed},
		{200, `{"authorizationData": [{"authorizationToken": "canary"}]}`, sources.Malformed},
		{302, "", sources.Redirected},
	} {
		answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://elsewhere.example.com/")
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}
		_, err := RegistryLogin(t.Context(), registryHost)
		var f *sources.Failure
		if !errors.As(err, &f) || f.Class != c.want || strings.Contains(err.Error(), "canary") {
			t.Errorf("%d %s: %v, want %s", c.status, c.body, err, c.want)
		}
	}
	asked = nil
	for _, host := range []string{"registry.example.com", registryHost + ".example.com", "x." + registryHost, "public.ecr.aws"} {
		if _, err := RegistryLogin(t.Context(), host); err == nil || len(asked) > 0 {
			t.Errorf("%s: %v", host, err)
		}
	}
}
