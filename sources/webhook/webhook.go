// Package webhook asks any HTTP service for a value, as External Secrets' webhook store does. There are no versions.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// Options are what the store's object says, and who we are for the service.
type Options struct {
	URL      string // with {{ .remoteRef.key }} and its like
	Method   string // "" is GET
	Headers  string // JSON map
	Body     string
	JSONPath string                 // of the result
	Token    func() (string, error) // nil sends none
	Values   bool
	HTTP     *http.Client
}

// Store is one service.
type Store struct {
	Options
	origin  string
	headers map[string]string
}

// New makes a client. It asks nothing yet. Templates may hold nothing but fields of the reference, each by itself: ours fills in no
// secret of a cluster.
func New(o Options) (*Store, error) {
	s := &Store{Options: o}
	if o.Headers != "" {
		if err := json.Unmarshal([]byte(o.Headers), &s.headers); err != nil {
			return nil, sources.Fail(sources.Refused, "headers")
		}
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, sources.Fail(sources.Refused, "url")
	}
	s.origin = u.Scheme + "://" + u.Host
	if s.Method == "" {
		s.Method = http.MethodGet
	}
	return s, nil
}

// Version gives the value that the service gives.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	switch {
	case !s.Values:
		return sources.Answer{}, sources.Fail(sources.NoVersions, "webhook")
	case ref.Find != nil:
		return sources.Answer{}, sources.Fail(sources.Unsupported, "search")
	}
	req, err := s.request(ctx, ref)
	if err != nil {
		return sources.Answer{}, err
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return sources.Answer{}, sources.Reason(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return sources.Answer{}, sources.ByStatus(resp.StatusCode)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return sources.Answer{}, sources.Reason(err)
	}
	path, ok := dotted(s.JSONPath)
	if !ok {
		return sources.Answer{}, sources.Fail(sources.Unsupported, "jsonPath of the result")
	}
	if path != "" && ref.Property != "" {
		path += "."
	}
	value, err := sources.Property(text, path+ref.Property)
	return sources.Answer{Value: value}, err
}

func (s *Store) request(ctx context.Context, ref sources.Ref) (*http.Request, error) {
	address, err := fill(s.URL, ref, url.PathEscape)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme+"://"+u.Host != s.origin { // a key must not choose the host
		return nil, sources.Fail(sources.Refused, "url")
	}
	body, err := fill(s.Body, ref, quoted)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, address, bytes.NewBufferString(body))
	if err != nil {
		return nil, sources.Fail(sources.Refused, "method")
	}
	for name, template := range s.headers {
		value, err := fill(template, ref, func(s string) string { return s })
		if err != nil {
			return nil, err
		}
		req.Header.Set(name, value)
	}
	if s.Token != nil {
		token, err := s.Token()
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// quoted writes a key so that it ends no string of JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(b[1 : len(b)-1])
}

var placeholder = regexp.MustCompile(`\{\{-?\s*\.remoteRef\.(key|property|version)\s*-?\}\}`)

// fill puts a reference into a template.
func fill(template string, ref sources.Ref, escape func(string) string) (string, error) {
	out := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		return escape(map[string]string{"key": ref.Key, "property": ref.Property, "version": ref.Version}[placeholder.FindStringSubmatch(found)[1]])
	})
	if strings.Contains(placeholder.ReplaceAllString(template, ""), "{{") {
		return "", sources.Fail(sources.Unsupported, "a template with more than .remoteRef in it")
	}
	return out, nil
}

var simple = regexp.MustCompile(`^\$?\.?([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+|\[[0-9]+\])*)?$`)

// dotted turns the plain part of JSONPath into names with dots: $.data[0].value.
func dotted(path string) (string, bool) {
	if !simple.MatchString(path) {
		return "", false
	}
	path = strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
	return strings.NewReplacer("[", ".", "]", "").Replace(path), true
}
