package stores

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/rollstamp/rollstamp/sources"
)

// JSONRequest is a question to a store that answers in JSON.
type JSONRequest struct {
	Method  string // GET where it is empty
	URL     string
	Headers map[string]string
	Body    any // sent as JSON; nil for none
	// Refused returns the class of an answer that is no success, by its status and text, of which nothing may be kept;
	// nil takes what the status says.
	Refused func(status int, text []byte) *sources.Failure
}

// AskJSON sends a question and decodes the answer. Its error is a *sources.Failure without any text of the store's.
func AskJSON(ctx context.Context, client *http.Client, q JSONRequest, answer any) error {
	resp, err := q.send(ctx, client)
	if err != nil {
		return sources.Reason(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return sources.Reason(err)
	case resp.StatusCode == http.StatusOK:
	case q.Refused != nil:
		return q.Refused(resp.StatusCode, text)
	default:
		return sources.ByStatus(resp.StatusCode)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return sources.Fail(sources.Malformed, "no JSON of this store")
	}
	return nil
}

func (q *JSONRequest) send(ctx context.Context, client *http.Client) (*http.Response, error) {
	var body io.Reader
	if q.Body != nil {
		text, err := json.Marshal(q.Body)
		if err != nil {
			return nil, sources.Fail(sources.Refused, "request")
		}
		body = bytes.NewReader(text)
	}
	method := q.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, q.URL, body)
	if err != nil {
		return nil, sources.Fail(sources.Refused, "address")
	}
	for name, value := range q.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "application/json")
	return client.Do(req)
}
