package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

const canary = "canary-51c7"

// stand is a store whose answers a test writes: behave is called with the number of the call for a key, from 1.
type stand struct {
	mu      sync.Mutex
	calls   map[string]int
	opened  int
	now     int
	most    int
	behave  func(ctx context.Context, key string, call int) (sources.Answer, error)
	refused error
}

func (s *stand) open(sources.Store) (sources.Versions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return s, s.refused
}

func (s *stand) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	s.mu.Lock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[ref.Key]++
	call := s.calls[ref.Key]
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.now--; s.mu.Unlock() }()
	if s.behave == nil {
		return sources.Answer{Version: "v-" + ref.Key}, nil
	}
	return s.behave(ctx, ref.Key, call)
}

func (s *stand) total() (n int) {
	for _, c := range s.calls {
		n += c
	}
	return n
}

func digest(_ sources.Ref, v redact.Secret) (string, error) {
	return fmt.Sprintf("%032x", len(v.Reveal())), nil
}

var one = sources.Store{Kind: "ClusterSecretStore", Name: "one", Provider: "vault"}

func refs(keys ...string) (out []sources.Ref) {
	for _, k := range keys {
		out = append(out, sources.Ref{Store: one, Key: k})
	}
	return out
}

func many(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("k%03d", i))
	}
	return keys
}

// resolve runs in a bubble of time: what waits takes no time here.
func resolve(t *testing.T, r *Resolver, refs []sources.Ref) (answers []sources.Answer, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		began := time.Now()
		answers, _, err = r.Resolve(context.Background(), refs)
		took = time.Since(began)
		<-time.After(2 * time.Hour) // until those that nobody waits for have ended
	})
	return answers, took, err
}

func TestEachDistinctReferenceIsAskedOnceAndEachStoreOpenedOnce(t *testing.T) {
	s := &stand{}
	answers, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a", "b", "a", "c", "a", "b"))
	if err != nil || s.total() != 3 || s.opened != 1 {
		t.Fatalf("%d calls, %d opened, %v", s.total(), s.opened, err)
	}
	for i, want := range []string{"v-a", "v-b", "v-a", "v-c", "v-a", "v-b"} {
		if answers[i].Version != want {
			t.Errorf("answer %d is %+v", i, answers[i])
		}
	}
}

func TestCallsRunSideBySideButNotAllAtOnce(t *testing.T) {
	s := &stand{behave: func(ctx context.Context, _ string, _ int) (sources.Answer, error) {
		<-time.After(time.Second)
		return sources.Answer{Version: "1"}, nil
	}}
	_, took, err := resolve(t, &Resolver{Open: s.open, Digest: digest, Parallel: 10}, refs(many(100)...))
	if err != nil || s.most != 10 || took != 10*time.Second {
		t.Errorf("%d at once, took %s, %v", s.most, took, err)
	}
}

func TestWhatPassesIsAskedAgainAndWhatDoesNotIsNot(t *testing.T) {
	for class, want := range map[sources.Class]int{
		sources.Unavailable: 3, sources.TimedOut: 3, sources.NotFound: 1, sources.NoPermit: 1, sources.Deleted: 1,
		sources.Malformed: 1, sources.NoLogin: 1, sources.Redirected: 1,
	} {
		s := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
			return sources.Answer{}, sources.Fail(class, "")
		}}
		_, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a"))
		var f *sources.Failure
		if !errors.As(err, &f) || f.Class != class || f.Ref.Key != "a" || s.total() != want {
			t.Errorf("%s: %d calls, %v", class, s.total(), err)
		}
	}
	s := &stand{behave: func(_ context.Context, _ string, call int) (sources.Answer, error) {
		if call < 3 {
			return sources.Answer{}, sources.Fail(sources.Throttled, "")
		}
		return sources.Answer{Version: "1"}, nil
	}}
	if _, took, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a")); err != nil || took == 0 {
		t.Errorf("after two stumbles: %v, waited %s", err, took)
	}
}

func TestAStoreThatTurnsCallersAwayIsAskedAsLongAsItLetsSomeThrough(t *testing.T) {
	var mu sync.Mutex
	var second time.Time
	let := 0
	slow := &stand{behave: func(context.Context, string, int) (sources.Answer, error) { // twenty in a second
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now().Truncate(time.Second); now != second {
			second, let = now, 0
		}
		if let++; let > 20 {
			return sources.Answer{}, sources.Fail(sources.Throttled, "HTTP 429")
		}
		return sources.Answer{Version: "1"}, nil
	}}
	if _, took, err := resolve(t, &Resolver{Open: slow.open, Digest: digest}, refs(many(200)...)); err != nil ||
		took > 30*time.Second ||
		slow.total() > 800 {
		t.Errorf("%d calls in %s: %v", slow.total(), took, err)
	}
	never := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{}, sources.Fail(sources.Throttled, "HTTP 429")
	}}
	_, took, err := resolve(t, &Resolver{Open: never.open, Digest: digest}, refs(many(200)...))
	if err == nil || took < turnedAway || took > 3*turnedAway || !strings.Contains(err.Error(), "k000: too many requests (HTTP 429)") || !strings.Contains(err.Error(), string(sources.GivenUp)) {
		t.Errorf("took %s: %v", took, err)
	}
}

func TestAStoreIsLeftAloneAsLongAsItAsksFor(t *testing.T) {
	asking := func(seconds string, free int) (*stand, *[]time.Duration) {
		var at []time.Duration
		var began time.Time
		s := &stand{}
		s.behave = func(ctx context.Context, _ string, call int) (sources.Answer, error) {
			if call == 1 {
				began = time.Now()
			}
			at = append(at, time.Since(began))
			status := http.StatusOK
			if call < free {
				status = http.StatusTooManyRequests
			}
			next := roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {seconds}}, Body: http.NoBody}, nil
			})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://store.invalid", nil)
			if err != nil {
				return sources.Answer{}, err
			}
			resp, err := stores.Careful(next).RoundTrip(req)
			if err != nil || resp.Header.Get("Retry-After") != "" || resp.Body.Close() != nil {
				t.Errorf("%v, %v", resp, err)
			}
			if status != http.StatusOK {
				return sources.Answer{}, sources.ByStatus(status)
			}
			return sources.Answer{Version: "1"}, nil
		}
		return s, &at
	}
	s, at := asking("7", 3)
	if _, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a")); err != nil || len(*at) != 3 || (*at)[1] < 7*time.Second || (*at)[2]-(*at)[1] < 7*time.Second {
		t.Errorf("asked after %v: %v", *at, err)
	}
	s, at = asking("3600", 3)
	if _, took, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a")); err == nil || !strings.Contains(err.Error(), string(sources.Throttled)) || took > 0 || len(*at) != 1 {
		t.Errorf("asked after %v in %s: %v", *at, took, err)
	}
}

// roundTripper answers in the process.
type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func TestAHangingStoreCostsOneTimeoutNotAThousand(t *testing.T) {
	deaf := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		<-time.After(time.Hour) // and does not hear that nobody waits any more
		return sources.Answer{}, errors.New(canary)
	}}
	_, took, err := resolve(t, &Resolver{Open: deaf.open, Digest: digest}, refs(many(1000)...))
	if took > 20*time.Second || strings.Contains(err.Error(), canary) {
		t.Errorf("took %s: %v", took, err)
	}
	if n := strings.Count(err.Error(), "\n") + 1; n > 20 || !strings.Contains(err.Error(), string(sources.GivenUp)) {
		t.Errorf("%d errors: %v", n, err)
	}
	if diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("exit %d", diag.ExitOf(err))
	}
}

func TestAStoreThatRefusesCredentialsIsNotShownThemAgain(t *testing.T) {
	s := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{}, sources.Fail(sources.NoLogin, "HTTP 401")
	}}
	_, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest, Parallel: 1}, refs(many(50)...))
	if s.total() != 1 || !strings.Contains(err.Error(), "nor 48 more of this store") {
		t.Errorf("%d calls: %v", s.total(), err)
	}
}

func TestOneClassMayNamePlacesInSeveralStores(t *testing.T) {
	var mu sync.Mutex
	opened := map[string]int{}
	open := func(s sources.Store) (sources.Versions, error) {
		mu.Lock()
		defer mu.Unlock()
		opened[s.Provider+s.Fields["projectID"]]++
		return (&stand{}).open(s)
	}
	of := func(provider, project, key string) sources.Ref {
		return sources.Ref{Store: sources.Store{Kind: sources.ProviderClass, Name: "c", Provider: provider, Fields: map[string]string{"projectID": project}}, Key: key}
	}
	all := []sources.Ref{of("gcpsm", "a", "1"), of("gcpsm", "a", "2"), of("gcpsm", "b", "3"), of("aws-sm", "", "4")}
	if _, _, err := resolve(t, &Resolver{Open: open, Digest: digest}, all); err != nil || !maps.Equal(opened, map[string]int{"gcpsma": 1, "gcpsmb": 1, "aws-sm": 1}) {
		t.Errorf("opened %v, %v", opened, err)
	}
}

func TestAStoreThatThereAreNoCredentialsForIsReportedOnceAndIsNotToBlame(t *testing.T) {
	s := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{}, sources.Fail(sources.NoIdentity, "no token")
	}}
	_, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest, Parallel: 1}, refs(many(50)...))
	if s.total() != 1 || len(diag.Unjoin(err)) != 1 || !strings.Contains(err.Error(), "no token; nor is this store asked for 49 more") || diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("%d calls: %v", s.total(), err)
	}
}

func TestAStoreThatIsDownDoesNotStopAnother(t *testing.T) {
	down := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{}, sources.Fail(sources.Unavailable, "")
	}}
	up := &stand{}
	r := &Resolver{Digest: digest, Open: func(s sources.Store) (sources.Versions, error) {
		if s.Name == "one" {
			return down.open(s)
		}
		return up.open(s)
	}}
	all := refs(many(100)...)
	for _, ref := range refs(many(100)...) {
		ref.Store.Name = "two"
		all = append(all, ref)
	}
	_, _, err := resolve(t, r, all)
	if err == nil || up.total() != 100 || down.total() > patience+parallel {
		t.Errorf("%d and %d calls: %v", up.total(), down.total(), err)
	}
}

func TestTheBudgetEndsEverything(t *testing.T) {
	s := &stand{behave: func(ctx context.Context, _ string, _ int) (sources.Answer, error) {
		<-ctx.Done()
		return sources.Answer{}, ctx.Err()
	}}
	_, took, err := resolve(
		t,
		&Resolver{Open: s.open, Digest: digest, Budget: 2 * time.Second, Parallel: 1},
		refs(many(5)...),
	)
	if took != 2*time.Second || err == nil {
		t.Errorf("took %s, %v", took, err)
	}
}

func TestAllErrorsAreReportedAtOnceInOrder(t *testing.T) {
	s := &stand{behave: func(_ context.Context, key string, _ int) (sources.Answer, error) {
		if key == "k001" {
			return sources.Answer{Version: "1"}, nil
		}
		return sources.Answer{}, sources.Fail(sources.NotFound, "HTTP 404")
	}}
	_, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs(many(4)...))
	want := "look up ClusterSecretStore/one k000: not found (HTTP 404)\nlook up ClusterSecretStore/one k002: not found (HTTP 404)\nlook up ClusterSecretStore/one k003: not found (HTTP 404)"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v", err)
	}
}

func TestNothingOfAClientsWordsIsReported(t *testing.T) {
	for name, behave := range map[string]func(context.Context, string, int) (sources.Answer, error){
		"an error": func(context.Context, string, int) (sources.Answer, error) {
			return sources.Answer{}, errors.New(canary)
		},
		"a panic": func(context.Context, string, int) (sources.Answer, error) { panic(canary) },
		"a typed error that is not ours": func(context.Context, string, int) (sources.Answer, error) {
			return sources.Answer{}, &diag.Error{Exit: diag.ExitSource, Err: errors.New(canary)}
		},
		"an error beside a value": func(context.Context, string, int) (sources.Answer, error) {
			return sources.Answer{Value: redact.New([]byte(canary))}, fmt.Errorf("%s: %w", canary, sources.Fail(sources.NotFound, ""))
		},
	} {
		s := &stand{behave: behave}
		answers, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a"))
		if err == nil || answers[0] != (sources.Answer{}) || strings.Contains(err.Error()+diag.HintOf(err), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := &stand{}
	_, _, err := resolve(t, &Resolver{Digest: digest, Open: func(sources.Store) (sources.Versions, error) { panic(canary) }}, refs("a", "b"))
	if diag.ExitOf(err) != diag.ExitInternal || strings.Contains(err.Error(), canary) {
		t.Errorf("a panic while opening: %v", err)
	}
	s.refused = sources.Fail(sources.Unlisted, "https://evil.example")
	if _, _, err = resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a")); diag.ExitOf(err) != diag.ExitUsage || s.total() != 0 {
		t.Errorf("a store that may not be asked: %v", err)
	}
	unread := func(sources.Store) (sources.Versions, error) {
		return nil, diag.Usage(errors.New("read authorities of a store: no such file"), "")
	}
	if _, _, err = resolve(t, &Resolver{Open: unread, Digest: digest}, refs("a", "b")); diag.ExitOf(err) != diag.ExitUsage || err.Error() != "read authorities of a store: no such file" {
		t.Errorf("a store that cannot be opened: exit %d, %v", diag.ExitOf(err), err)
	}
	_, _, err = resolve(t, &Resolver{Open: s.open, Digest: digest}, refs(many(50)...))
	want := "look up ClusterSecretStore/one k000: address not listed by the operator (https://evil.example; nor is this store asked for 49 more)"
	if diag.ExitOf(err) != diag.ExitUsage || err.Error() != want {
		t.Errorf("many places of a store that may not be asked: exit %d, %v", diag.ExitOf(err), err)
	}
}

func TestAValueNeverLeavesButAsItsDigest(t *testing.T) {
	s := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{Value: redact.New([]byte(canary))}, nil
	}}
	answers, _, err := resolve(t, &Resolver{Open: s.open, Digest: digest}, refs("a"))
	if err != nil || answers[0].Digest == "" || len(answers[0].Value.Reveal()) != 0 {
		t.Errorf("got %+v, %v", answers, err)
	}
	noKey := func(sources.Ref, redact.Secret) (string, error) { return "", sources.Fail(sources.NoKey, "") }
	_, _, err = resolve(t, &Resolver{Open: s.open, Digest: noKey}, refs("a"))
	if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(diag.HintOf(err), "hash-key") {
		t.Errorf("without a key: %v", err)
	}
}

func TestPropertiesOfOneKeyAreOneCallWhereTheStoreHasVersions(t *testing.T) {
	properties := func() (out []sources.Ref) {
		for _, p := range []string{"a", "b", "", "c"} {
			out = append(out, sources.Ref{Store: one, Key: "k", Property: p})
		}
		return out
	}
	versions := &stand{}
	answers, _, err := resolve(t, &Resolver{Open: versions.open, Digest: digest}, properties())
	if err != nil || versions.total() != 1 || answers[3].Version != "v-k" {
		t.Errorf("%d calls, %+v, %v", versions.total(), answers, err)
	}
	values := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{Value: redact.New([]byte("x"))}, nil
	}}
	if _, _, err = resolve(t, &Resolver{Open: values.open, Digest: digest}, properties()); err != nil ||
		values.total() != 4 {
		t.Errorf("%d calls of a store of values, %v", values.total(), err)
	}
	denied := &stand{behave: func(context.Context, string, int) (sources.Answer, error) {
		return sources.Answer{}, sources.Fail(sources.NoPermit, "")
	}}
	if _, _, err = resolve(t, &Resolver{Open: denied.open, Digest: digest}, properties()); denied.total() != 1 || strings.Count(err.Error(), "k") < 4 {
		t.Errorf("%d calls: %v", denied.total(), err)
	}
	absent := &stand{behave: func(_ context.Context, _ string, call int) (sources.Answer, error) {
		value, err := stores.Property([]byte(`{"b": "x"}`), []string{"", "b", "c", "d"}[call-1])
		return sources.Answer{Value: value}, err
	}}
	if _, _, err = resolve(t, &Resolver{Open: absent.open, Digest: digest}, properties()); absent.total() != 4 || strings.Count(err.Error(), "property") != 2 {
		t.Errorf("%d calls: %v", absent.total(), err)
	}
}
