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

	"github.com/PaesslerAG/jsonpath"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
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

// Open returns the client of a service. A token is sent only to an address that the operator names.
func Open(t *stores.Target) (sources.Versions, error) {
	client, err := stores.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	o := Options{
		URL: t.Fields["url"], Method: t.Fields["method"], Headers: t.Fields["headers"], Body: t.Fields["body"],
		JSONPath: t.Fields["result.jsonPath"], Values: t.ReadValues(), HTTP: client,
	}
	if t.FromRule && (t.Credentials.TokenFile != "" || t.Credentials.TokenEnv != "") {
		o.Token = t.Token("")
	}
	return New(o)
}

// New makes a client. It asks nothing yet. Templates may hold nothing but fields of the reference, each by itself: ours
// fills in no secret of a cluster.
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

// Version returns the value that the service returns.
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
	value, err := s.result(text, ref)
	return sources.Answer{Value: value}, err
}

// result returns what the store's jsonPath selects of an answer, or all of it where there is none. The property counts
// only where the store's templates name it: External Secrets takes no further part of what is selected
// (providers/v1/webhook/webhook.go, GetSecret).
func (s *Store) result(text []byte, ref sources.Ref) (redact.Secret, error) {
	path, err := fill(s.JSONPath, ref, asIs)
	if err != nil {
		return redact.Secret{}, err
	}
	if path == "" {
		return stores.Property(text, "")
	}
	return selectValue(text, path)
}

// selectValue follows a path with the library that External Secrets has. Of a list that is the first item.
func selectValue(text []byte, path string) (redact.Secret, error) {
	find, err := jsonpath.New(path)
	if err != nil {
		return redact.Secret{}, sources.Fail(sources.Unsupported, "jsonPath of the result")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var data any
	if dec.Decode(&data) != nil || dec.More() {
		return redact.Secret{}, sources.Fail(sources.Malformed, "the answer is no JSON")
	}
	found, err := find(context.Background(), data)
	for list, ok := found.([]any); ok && err == nil; list, ok = found.([]any) {
		if len(list) == 0 {
			err = sources.ErrNoProperty
			break
		}
		found = list[0]
	}
	if err != nil {
		return redact.Secret{}, sources.NoProperty("jsonPath of the result")
	}
	if one, ok := found.(string); ok {
		return redact.New([]byte(one)), nil
	}
	canonical, err := json.Marshal(found)
	if err != nil {
		return redact.Secret{}, sources.Fail(sources.Malformed, "")
	}
	return redact.New(canonical), nil
}

func (s *Store) request(ctx context.Context, ref sources.Ref) (*http.Request, error) {
	address, err := fill(s.URL, ref, url.QueryEscape) // as External Secrets does, wherever in the address
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme+"://"+u.Host != s.origin { // a key must not choose the host
		return nil, sources.Fail(sources.Refused, "url")
	}
	body, err := fill(s.Body, ref, quote)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, address, bytes.NewBufferString(body))
	if err != nil {
		return nil, sources.Fail(sources.Refused, "method")
	}
	for name, template := range s.headers {
		value, err := fill(template, ref, asIs)
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

func asIs(s string) string { return s }

// quote writes a key so that it ends no string of JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(b[1 : len(b)-1])
}

var placeholder = regexp.MustCompile(`\{\{-?\s*\.remoteRef\.(key|property|version|namespace)\s*-?\}\}`)

// fill puts a reference into a template.
func fill(template string, ref sources.Ref, escape func(string) string) (string, error) {
	unknown := false
	out := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		field := placeholder.FindStringSubmatch(found)[1]
		unknown = unknown || field == "namespace" && ref.Store.Namespace == "" // of a ClusterSecretStore, each reader's own
		return escape(map[string]string{"key": ref.Key, "property": ref.Property, "version": ref.Version,
			"namespace": ref.Store.Namespace}[field])
	})
	if unknown {
		return "", sources.Fail(sources.Unsupported, "a template with the namespace of whoever reads")
	}
	if strings.Contains(placeholder.ReplaceAllString(template, ""), "{{") {
		return "", sources.Fail(sources.Unsupported, "a template with more than .remoteRef in it")
	}
	return out, nil
}
