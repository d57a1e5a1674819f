// Package stores is what the clients of stores share, which lie in folders of its own: what may be asked, an HTTP
// client that is careful with credentials, tokens, and properties of values.
package stores

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/sources"
)

// maxAnswer is the size of the largest answer that is read: a list of very many names.
const maxAnswer = 8 << 20

// idle is how many connections to a store are kept, which is how many calls of it there are at once.
const idle = 16

// Client returns an HTTP client that is careful with what it carries: it follows no redirection, reads no endless
// answer, and speaks no TLS of yesterday. caFile names the authorities to trust instead of the system's; "" is the
// system's.
func Client(caFile string) (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		var err error
		if _, trust.RootCAs, err = sources.Authorities(caFile); err != nil {
			return nil, err
		}
	}
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		TLSClientConfig:       trust,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   idle,
		IdleConnTimeout:       30 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,

		MaxResponseHeaderBytes: 256 << 10,
	}
	return &http.Client{
		Transport:     careful{t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return sources.ErrRedirected },
	}, nil
}

// Careful makes any transport refuse redirections and endless answers.
func Careful(next http.RoundTripper) http.RoundTripper { return careful{next} }

// careful refuses redirections itself, because clients' libraries follow them in their own ways.
type careful struct{ next http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (c careful) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if later, ok := req.Context().Value(laterKey{}).(*atomic.Int64); ok {
		later.Store(int64(waitTime(resp)))
	}
	resp.Header.Del(retryAfter) // a client's library would wait by itself
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, errors.Join(sources.ErrRedirected, resp.Body.Close())
	}
	if resp.ContentLength > maxAnswer {
		return nil, errors.Join(sources.ErrTooLarge, resp.Body.Close())
	}
	resp.Body = &capped{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

const retryAfter = "Retry-After"

// laterKey is the key of NotingRetryAfter's context.
type laterKey struct{}

// NotingRetryAfter returns a context in which later holds how long a store asks to be left alone, in nanoseconds.
func NotingRetryAfter(ctx context.Context, later *atomic.Int64) context.Context {
	return context.WithValue(ctx, laterKey{}, later)
}

// waitTime returns how long an answer asks its caller to wait, where it refuses him; a date counts from now.
func waitTime(resp *http.Response) time.Duration {
	text := resp.Header.Get(retryAfter)
	if text == "" || resp.StatusCode < 400 {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 16); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(at))
}

// capped ends an answer with an error, not with silence.
type capped struct {
	io.ReadCloser
	left int64
}

// Read is io.Reader's.
func (c *capped) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, sources.ErrTooLarge
	}
	n, err := c.ReadCloser.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	return n, err
}
