package rendercache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
)

// What a server may cost. A slow one is given up after a few requests: it would take longer than rendering.
const (
	remoteMost    = 64 << 20 // bytes of an entry
	requestTime   = 5 * time.Second
	staysTime     = time.Second // where somebody waits for each render
	failuresInRow = 3
	patience      = 10 * time.Second // with what its answers cost more than rendering, in sum
)

// authorizationVariable is the variable of the environment that Options.Authorization comes from.
const authorizationVariable = "ROLLSTAMP_RENDER_CACHE_AUTHORIZATION"

// IsRemote reports whether a cache is named by the address of a server.
func IsRemote(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

// isAddress reports whether a name begins as an address does: with a scheme, of two letters at least as a letter alone
// is a volume of Windows, and a slash.
func isAddress(name string) bool {
	scheme, rest, ok := strings.Cut(name, ":")
	isOther := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r))
	}
	return ok && len(scheme) > 1 && strings.HasPrefix(rest, "/") && !strings.ContainsFunc(scheme, isOther)
}

// remote holds entries on a server that speaks the HTTP protocol of Bazel's caches: below ac/ the names, each with the
// digest of what is below cas/.
type remote struct {
	base, host    string // base ends in a slash
	authorization string
	client        *http.Client
	time          time.Duration // that a request may take
	patience      time.Duration // see Options
	reads, writes atomic.Int64  // that failed one after the other; apart: what takes anything need not give it back
	cost          atomic.Int64  // of time that answers took in excess of what rendering took, or would have taken
	stopped       pause
	isReadOnly    atomic.Bool
	refused       atomic.Int64 // the status by which the server refused to be read at last; 0 where it did not
}

// newRemote returns the cache at an address. One that would show the credentials to the network is a usage error.
func newRemote(o Options) (*remote, error) {
	u, err := url.Parse(o.Dir)
	switch {
	case err != nil || u.Host == "":
		return nil, diag.Usage(errors.New("use the render cache: its address cannot be read"), "Write https://HOST/PATH.")
	case u.User != nil:
		return nil, diag.Usage(fmt.Errorf("use the render cache of %s: its address holds credentials", u.Host),
			"Leave them out, and set "+authorizationVariable+" to what the header Authorization is to hold.")
	case u.Scheme == "http" && o.Authorization != "" && !isLoopback(u.Hostname()):
		return nil, diag.Usage(fmt.Errorf("use the render cache of %s: credentials would go over a connection that is not "+
			"encrypted", u.Host), "Write https://.")
	}
	r := &remote{host: u.Host, authorization: o.Authorization, client: network.Client(),
		time: cmp.Or(o.Timeout, requestTime), patience: cmp.Or(o.Patience, patience)}
	if o.Stays != nil {
		r.time, r.stopped.again = cmp.Or(o.Timeout, staysTime), o.Stays.Again
		r.stopped.note = o.Stays.Note
	}
	r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.RawQuery, u.Fragment = "", ""
	r.base = strings.TrimSuffix(u.String(), "/") + "/"
	return r, nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func (r *remote) most() int64  { return remoteMost }
func (r *remote) bound() error { return nil } // the server does that

// read returns an entry. One that the server does not give counts as none.
func (r *remote) read(n Name) ([]byte, error) {
	var a action
	text, err := r.get("ac/"+hex.EncodeToString(n[:]), func(text []byte) (ok bool) {
		a, ok = parseAction(text)
		return ok
	})
	if err != nil || text == nil || a.inline != nil {
		return a.inline, err
	}
	return r.get("cas/"+a.digest, func(text []byte) bool {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:]) == a.digest
	})
}

// write writes what a name leads to before the name. Where this user may only read, nothing is written.
func (r *remote) write(n Name, parts ...[]byte) error {
	if r.isReadOnly.Load() {
		return nil
	}
	text := bytes.Join(parts, nil)
	a := action{inline: text}
	if len(text) > mostInline {
		sum := sha256.Sum256(text)
		a = action{digest: hex.EncodeToString(sum[:]), size: int64(len(text))}
		if err := r.put("cas/"+a.digest, text); err != nil {
			return err
		}
	}
	return r.put("ac/"+hex.EncodeToString(n[:]), a.append(nil))
}

// Why a server is not asked any more.
var (
	errGivenUp = errors.New("the server does not answer as a cache does")
	errTooSlow = errors.New("the server is so slow that rendering is faster")
)

// silentError is that a server did not answer in time.
type silentError struct {
	host string
	time time.Duration
}

// Error implements error.
func (e *silentError) Error() string {
	return fmt.Sprintf("%s did not answer within %s", e.host, e.time)
}

// get returns what is at a path; nil where there is nothing. What is not whole is the error errNotWhole.
func (r *remote) get(path string, isWhole func([]byte) bool) (text []byte, err error) {
	err = r.do(http.MethodGet, path, nil, func(response *http.Response) error {
		switch response.StatusCode {
		case http.StatusOK:
			r.refused.Store(0)
			text, err = io.ReadAll(io.LimitReader(response.Body, remoteMost+1))
			if err == nil && (len(text) > remoteMost || !isWhole(text)) {
				return errNotWhole
			}
			return err
		case http.StatusNotFound:
			r.refused.Store(0)
			return nil
		case http.StatusUnauthorized, http.StatusForbidden:
			r.refused.Store(int64(response.StatusCode))
			return r.refusal(response.StatusCode)
		}
		return statusError(response.StatusCode)
	})
	return text, err
}

// trouble returns why the server is not asked any more, or, of a run that is too short for that, that it refused to be
// read; nil where it did neither.
func (r *remote) trouble() error {
	if cause := r.stopped.why(); cause != nil {
		return cause
	}
	if status := r.refused.Load(); status != 0 {
		return fmt.Errorf("%w: %w", errGivenUp, r.refusal(int(status)))
	}
	return nil
}

// refusal returns by which status the server refused to be read, with what mends it.
func (r *remote) refusal(status int) error {
	if r.authorization == "" {
		return fmt.Errorf("%w; set %s to what the header Authorization is to hold", statusError(status),
			authorizationVariable)
	}
	return fmt.Errorf("%w to what %s holds", statusError(status), authorizationVariable)
}

// statusError is an answer that no cache gives.
type statusError int

// Error implements error.
func (e statusError) Error() string {
	return fmt.Sprintf("it says %d %s", int(e), http.StatusText(int(e)))
}

func (r *remote) put(path string, text []byte) error {
	return r.do(http.MethodPut, path, text, func(response *http.Response) error {
		switch code := response.StatusCode; {
		case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusMethodNotAllowed:
			r.isReadOnly.Store(true)
			return nil
		case code == http.StatusRequestEntityTooLarge, code/100 == 2:
			return nil
		}
		return statusError(response.StatusCode)
	})
}

// do makes a request, twice where it fails. After several that failed, no other is made, or not for a while.
func (r *remote) do(method, path string, body []byte, use func(*http.Response) error) error {
	isTrial, err := r.stopped.ask()
	if err != nil {
		return err
	}
	failed := &r.reads
	if method == http.MethodPut {
		failed = &r.writes
	}
	for range 2 {
		begun := time.Now()
		err = r.once(method, path, body, use)
		if r.costs(time.Since(begun)) {
			r.stopped.begin(givenUp(err, errTooSlow))
			return err
		}
		if err == nil {
			if failed.Store(0); isTrial {
				r.stopped.end()
			}
			return nil
		}
		if errors.Is(err, errNotWhole) || errors.As(err, new(*silentError)) {
			break
		}
	}
	if failed.Add(1) >= failuresInRow {
		r.stopped.begin(givenUp(err, errGivenUp))
	}
	return err
}

// givenUp returns why a server is not asked any more: that it was silent, or else the other reason, with what it said.
func givenUp(last, otherwise error) error {
	switch {
	case errors.As(last, new(*silentError)):
		return last
	case errors.As(last, new(statusError)):
		return fmt.Errorf("%w: %w", otherwise, last)
	}
	return otherwise
}

// costs adds the time that an answer took, and reports whether answers have cost more than rendering and patience. Then
// it begins again.
func (r *remote) costs(took time.Duration) bool {
	if r.cost.Add(int64(took)) <= int64(r.patience) {
		return false
	}
	r.cost.Store(0)
	return true
}

// earns takes off what rendering took, or would have taken. Nothing is saved up: a server that becomes slow is given up
// as soon as one that was slow from the beginning.
func (r *remote) earns(time time.Duration) {
	if sum := r.cost.Add(-int64(time)); sum < 0 {
		r.cost.CompareAndSwap(sum, 0)
	}
}

// once makes a request. Its error does not repeat the address.
func (r *remote) once(method, path string, body []byte, use func(*http.Response) error) error {
	err := r.send(method, path, body, use)
	var of *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &silentError{r.host, r.time}
	case errors.As(err, &of):
		return fmt.Errorf("ask %s: %w", r.host, of.Err)
	}
	return err
}

func (r *remote) send(method, path string, body []byte, use func(*http.Response) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), r.time)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if r.authorization != "" {
		request.Header.Set("Authorization", r.authorization)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<10)) // so that the connection is used again
		_ = response.Body.Close()
	}()
	return use(response)
}
