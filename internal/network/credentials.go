package network

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/rollstamp/rollstamp/redact"
)

// maxRefusal bounds what is read of an answer that is an error.
const maxRefusal = 1 << 20

// withoutCredentials returns an answer. Where that is an error, its text does not show what the request authenticated
// itself with: some proxies and registries print what they got, and our errors have the answer's text.
func withoutCredentials(r *http.Request, res *http.Response) (*http.Response, error) {
	sent := credentials(r.Header)
	if res.StatusCode < http.StatusBadRequest || sent.IsEmpty() {
		return res, nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	_ = res.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer %d: %w", res.StatusCode, err)
	}
	text = hideIn(text, sent)
	res.Status = sent.In(res.Status)
	res.Body = io.NopCloser(bytes.NewReader(text))
	if r.Method != http.MethodHead {
		res.ContentLength = int64(len(text))
		res.Header.Del("Content-Length")
	}
	return res, nil
}

// credentials returns what a header authenticates with, in each of the forms in which a text may show it.
func credentials(h http.Header) *redact.Values {
	value := h.Get("Authorization")
	scheme, secret, found := strings.Cut(value, " ")
	if !found {
		return redact.NewValues(value)
	}
	all := []string{secret}
	if strings.EqualFold(scheme, "Basic") {
		if pair, err := base64.StdEncoding.DecodeString(secret); err == nil {
			_, password, _ := strings.Cut(string(pair), ":")
			all = append(all, string(pair), password)
		}
	}
	return redact.NewValues(all...)
}

// hideIn returns a text without values. In JSON their characters may be escaped.
func hideIn(text []byte, sent *redact.Values) []byte {
	var fields any
	if json.Unmarshal(text, &fields) == nil {
		if again, err := json.Marshal(redact.Copy(sent, fields)); err == nil {
			return again
		}
	}
	return []byte(sent.In(string(text)))
}
