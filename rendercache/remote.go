package rendercache

import (
	"bytes"
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
	failuresInRow = 3
)

// IsRemote reports whether a cache is named by the address of a server.
func IsRemote(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

// remote holds entries on a server that speaks the HTTP protocol of Bazel's caches: below ac/ the names, each with the
// digest of what is below cas/.
type remote struct {
	base          string // ends in a slash
	authorization string
	client        *http.Client
	failed        atomic.Int64 // requests, one after the other
	isReadOnly    atomic.Bool
}

// newRemote returns the cache at an address. One that would show the credentials to the network is a usage error.
func newRemote(address, authorization string) (*remote, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return nil, diag.Usage(errors.New("use the render cache: its address cannot be read"), "Write https://HOST/PATH.")
	case u.User != nil:
		return nil, diag.Usage(fmt.Errorf("use the render cache of %s: its address holds credentials", u.Host),
			"Leave them out, and set ROLLSTAMP_RENDER_CACHE_AUTHORIZATION to what the header Authorization is to hold.")
	case u.Scheme == "http" && authorization != "" && !isLoopback(u.Hostname()):
		return nil, diag.Usage(fmt.Errorf("use the render cache of %s: credentials would go over a connection that is not "+
			"encrypted", u.Host), "Write https://.")
	}
	client := network.Client()
	client.Timeout = requestTime
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.RawQuery, u.Fragment = "", ""
	return &remote{base: strings.TrimSuffix(u.String(), "/") + "/", authorization: authorization, client: client}, nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func (r *remote) most() int64  { return remoteMost }
func (r *remote) close() error { return nil }

// read returns an entry. One that the server does not give counts as none.
func (r *remote) read(n Name) ([]byte, error) {
	text, err := r.get("ac/" + hex.EncodeToString(n[:]))
	if err != nil || text == nil {
		return nil, err
	}
	a, ok := parseAction(text)
	if !ok {
		return nil, errNotWhole
	}
	if a.inline != nil {
		return a.inline, nil
	}
	text, err = r.get("cas/" + a.digest)
	if err != nil || text == nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != a.digest {
		return nil, errNotWhole
	}
	return text, nil
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

// errGivenUp is that the server did not answer several times.
var errGivenUp = errors.New("the server does not answer as a cache does")

// get returns what is at a path; nil where there is nothing.
func (r *remote) get(path string) (text []byte, err error) {
	err = r.do(http.MethodGet, path, nil, func(response *http.Response) error {
		switch response.StatusCode {
		case http.StatusOK:
			text, err = io.ReadAll(io.LimitReader(response.Body, remoteMost+1))
			if err == nil && len(text) > remoteMost {
				return errNotWhole
			}
			return err
		case http.StatusNotFound:
			return nil
		}
		return fmt.Errorf("%s", response.Status)
	})
	return text, err
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
		return fmt.Errorf("%s", response.Status)
	})
}

// do makes a request, twice where it fails. After several that failed, no other is made.
func (r *remote) do(method, path string, body []byte, use func(*http.Response) error) error {
	if r.failed.Load() >= failuresInRow {
		return errGivenUp
	}
	var err error
	for range 2 {
		if err = r.once(method, path, body, use); err == nil {
			r.failed.Store(0)
			return nil
		}
		if errors.Is(err, errNotWhole) || errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	r.failed.Add(1)
	return err
}

func (r *remote) once(method, path string, body []byte, use func(*http.Response) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestTime)
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
