package sources

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

func TestEveryClassHasANextStepButAnInterruption(t *testing.T) {
	for _, c := range []Class{NotFound, Deleted, Disabled, NoIdentity, NoLogin, NoPermit, Throttled, Unavailable,
		TimedOut, GivenUp, Untrusted, Redirected,
		TooLarge, Malformed, Refused, Unlisted, NoVersions, NoKey, Incomplete, Unsupported, NotLocked, OtherKey} {
		f := Fail(c, "")
		f.Ref = Ref{Store: Store{Kind: "ClusterSecretStore", Name: "vault"}, Key: "apps/db"}
		if err := f.Diag(); err.Hint == "" || !strings.Contains(err.Error(), "ClusterSecretStore/vault apps/db") || diag.ExitOf(err) < diag.ExitUsage {
			t.Errorf("%s: %v, hint %q", c, err, err.Hint)
		}
	}
}

// TestWhoeverHasNothingToShowIsTheOneWhoHasToMendSomething: a store that refused is none of the environment's faults.
func TestWhoeverHasNothingToShowIsTheOneWhoHasToMendSomething(t *testing.T) {
	for class, want := range map[Class]diag.Exit{NoIdentity: diag.ExitUsage, Unlisted: diag.ExitUsage,
		NoLogin: diag.ExitSource, NoPermit: diag.ExitSource, NotLocked: diag.ExitInput} {
		if got := diag.ExitOf(Fail(class, "").Diag()); got != want {
			t.Errorf("%s: exit code %d, want %d", class, got, want)
		}
	}
	for class, want := range map[Class]bool{NoIdentity: true, NoLogin: true, NotFound: true, Unlisted: false,
		NoKey: false, Incomplete: false, NotLocked: false} {
		if Fail(class, "").LockMayAnswer() != want {
			t.Errorf("%s: the lock stands in: %v", class, !want)
		}
	}
}

// TestAnErrorOfTheNetworkBecomesAClassWithoutItsWords asks servers that go wrong, with net/http as it is.
func TestAnErrorOfTheNetworkBecomesAClassWithoutItsWords(t *testing.T) {
	block := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block }))
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("canary"))
		panic(http.ErrAbortHandler)
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	defer func() { close(block); slow.Close(); secure.Close(); cut.Close() }()
	get := func(url string, timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
		return err
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		err  error
		want Class
	}{
		{get(slow.URL, time.Millisecond), TimedOut},
		{get(secure.URL, time.Minute), Untrusted},
		{get("https"+strings.TrimPrefix(cut.URL, "http"), time.Minute), Untrusted},
		{get(cut.URL, time.Minute), Unavailable},
		{get(gone.URL, time.Minute), Unavailable},
		{fmt.Errorf("canary: %w", &net.DNSError{Err: "canary", Name: "canary"}), Unavailable},
		{fmt.Errorf("canary: %w", tls.RecordHeaderError{Msg: "canary"}), Untrusted},
		{fmt.Errorf("canary: %w", ErrRedirected), Redirected},
		{fmt.Errorf("canary: %w", ErrTooLarge), TooLarge},
		{fmt.Errorf("canary: %w", Fail(Deleted, "")), Deleted},
		{cancelled.Err(), Cancelled},
		{errors.New("canary"), Malformed},
	} {
		if f := Reason(c.err); f.Class != c.want || strings.Contains(f.Error(), "canary") {
			t.Errorf("%v: got %v", c.err, f)
		}
	}
}

func TestAStatusBecomesAClass(t *testing.T) {
	for status, want := range map[int]Class{200: Malformed, 302: Redirected, 400: Refused, 401: NoLogin, 403: NoPermit,
		404: NotFound,
		405: Refused, 410: Deleted, 429: Throttled, 500: Unavailable, 503: Unavailable} {
		if f := ByStatus(status); f.Class != want || f.Status != fmt.Sprintf("HTTP %d", status) {
			t.Errorf("%d: got %v", status, f)
		}
	}
}

func TestTheVersionOfASetIsThatOfItsMembers(t *testing.T) {
	items := func(words ...string) (out []Item) {
		for i := 0; i < len(words); i += 2 {
			out = append(out, Item{words[i], words[i+1]})
		}
		return out
	}
	seen := map[string]string{}
	for _, c := range [][]Item{nil, items("a", "1"), items("a", "2"), items("b", "1"), items("a", "1", "b", "1"), items("a1", ""), items("", "a1"), items("a", "1", "", "")} {
		v := SetVersion(c)
		if other, has := seen[v]; has {
			t.Errorf("%v is as %s", c, other)
		}
		seen[v] = fmt.Sprint(c)
	}
	if SetVersion(items("a", "1", "b", "2", "a", "1")) != SetVersion(items("b", "2", "a", "1")) {
		t.Error("order or repetition count")
	}
	// Frozen: it goes into digests.
	if got := SetVersion(items("a", "1", "b", "22")); got != "set-70b3b7b8478717268997f72652552b86" {
		t.Errorf("got %s", got)
	}
}

func TestAVersionThatNamesOneContentForEverIsPinned(t *testing.T) {
	for _, c := range []struct{ provider, version, want string }{
		{"vault", "3", "3"}, {"vault", "0", ""}, {"vault", "deleted", ""}, {"vault", "", ""}, {"openBao", "3", "3"},
		{"aws-sm", "uuid/4f", "4f"}, {"aws-sm", "AWSPREVIOUS", ""}, {"aws-sm", "3", ""}, {"aws-ssm", "12", "12"}, {"aws-ssm", "label", ""},
		{"scaleway", "3", "3"}, {"scaleway", "latest_enabled", ""}, {"kubernetes", "3", ""}, {"webhook", "3", ""}, {"fake", "3", ""},
		{"gcpsm", "7", "7"}, {"gcpsm", "latest", ""}, {"gcpsm", "prod", ""},
		{"azurekv", strings.Repeat("a1", 16), strings.Repeat("a1", 16)}, {"azurekv", "1", ""},
		{"fake", "v1", ""}, {"webhook", "1", ""}, {"kubernetes", "1", ""}, {"", "3", "3"}, {"", "latest", ""}, {"", "uuid/x", "x"},
	} {
		got, ok := PinnedVersion(Ref{Store: Store{Provider: c.provider}, Key: "k", Version: c.version})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s %q: got %q, %v", c.provider, c.version, got, ok)
		}
	}
}
