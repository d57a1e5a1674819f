package gcp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARegistryOfGoogleTakesATokenOfTheMachine(t *testing.T) {
	status, asked := http.StatusOK, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"access_token": "`+canary+`", "token_type": "Bearer", "expires_in": 3600}`)
	}))
	defer server.Close()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "ci@example.iam.gserviceaccount.com", "token_uri": server.URL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	})
	path := filepath.Join(t.TempDir(), "account.json")
	if err != nil || os.WriteFile(path, account, 0o600) != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	for _, host := range []string{"eu.gcr.io", "gcr.io", "europe-docker.pkg.dev"} {
		got, err := RegistryLogin(t.Context(), host)
		if err != nil || got.Username != "oauth2accesstoken" || got.Password != canary {
			t.Errorf("%s: %q, %v", host, got.Username, err)
		}
	}
	status = http.StatusForbidden
	if _, err := RegistryLogin(t.Context(), "gcr.io"); err == nil || strings.Contains(err.Error(), canary) {
		t.Error(err)
	}
	// The token is good for more than registries: nobody else gets it.
	asked = 0
	for _, host := range []string{"ghcr.io", "notgcr.io", "pkg.dev.example.com", "gcr.io.example.com", "gcr.io:5000"} {
		if _, err := RegistryLogin(t.Context(), host); err == nil || asked > 0 {
			t.Errorf("%s: %v", host, err)
		}
	}
}
