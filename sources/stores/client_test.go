package stores

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

	"github.com/rollstamp/rollstamp/sources"
)

// canary is a credential that must not get anywhere else.
const canary = "canary-51c7"

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
