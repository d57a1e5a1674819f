package network

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// get returns the text of an answer, and how long it said that it is.
func get(t *testing.T, address string, header http.Header) (text string, length int64, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	res, err := Client().Do(r)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	return string(all), res.ContentLength, err
}

func TestARequestThatGoesInCirclesEnds(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	if _, _, err := get(t, s.URL, nil); !errors.Is(err, errCircle) || asked != maxRedirects {
		t.Errorf("%d requests, %v", asked, err)
	}
}

// slow is a server that waits before it answers, and before each byte.
type slow struct {
	first, next time.Duration
	left        int
	ctx         context.Context
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.ctx = r.Context()
	return &http.Response{Body: s}, s.wait(s.first)
}

func (s *slow) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	return copy(p, "x"), s.wait(s.next)
}

func (s *slow) Close() error { return nil }

func (s *slow) wait(d time.Duration) error {
	select {
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func TestAServerThatIsSilentIsLeftAndASlowOneIsNot(t *testing.T) {
	for name, c := range map[string]struct {
		slow
		want bool
	}{
		"slow":             {slow{patience - 1, patience - 1, 5, nil}, true},
		"silent":           {slow{patience + 1, 0, 1, nil}, false},
		"silent in a body": {slow{0, patience + 1, 1, nil}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h/", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := watch(&c.slow, r, patience)
			if err == nil {
				_, err = io.ReadAll(res.Body)
				_ = res.Body.Close()
			}
			var silent *SilentError
			if (err == nil) != c.want || err != nil && !errors.As(err, &silent) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestARefusalDoesNotShowWhatTheRequestAuthenticatedWith(t *testing.T) {
	const password = `canary"7f3a`
	basic := base64.StdEncoding.EncodeToString([]byte("u:" + password))
	for name, body := range map[string]string{
		"text": "bad header: Basic " + basic + " of u:" + password, "JSON": `{"errors":[{"message":"` + basic + `"}]}`,
		"escaped": `{"message":"canary\"7f3a ` + strings.ReplaceAll(basic, "=", `\u003d`) + `"}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, body)
		}))
		got, length, err := get(t, s.URL, http.Header{"Authorization": {"Basic " + basic}})
		if err != nil || !strings.Contains(got, "[redacted]") || strings.Contains(got, "7f3a") ||
			strings.Contains(got, strings.TrimRight(basic, "=")) || int(length) != len(got) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		s.Close()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	defer s.Close()
	const token = "Bearer token-of-the-test"
	if text, _, err := get(t, s.URL, http.Header{"Authorization": {token}}); err != nil || text != token {
		t.Errorf("an answer that is no error was changed: %s, %v", text, err)
	}
}
