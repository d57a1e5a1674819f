package cluster

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Serves reports whether a path of the API is there.
func (c *Cluster) Serves(path string) bool { return c.answers(c.url + path) }

func (c *Cluster) answers(url string) bool {
	code, _, err := c.request(http.MethodGet, url, "", nil)
	return err == nil && code == http.StatusOK
}

func (c *Cluster) request(method, url, contentType string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if strings.HasPrefix(url, c.url) {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// Do makes a request that has to succeed.
func (c *Cluster) Do(t testing.TB, method, path, contentType string, body []byte) []byte {
	t.Helper()
	code, text, err := c.request(method, c.url+path, contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	if code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
	return text
}

// Get reads an object, or a list of them, into a value.
func (c *Cluster) Get(t testing.TB, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(c.Do(t, http.MethodGet, path, "", nil), into); err != nil {
		t.Fatal(err)
	}
}

// Apply applies a manifest on the side of the server; collection is the path of its kind.
func (c *Cluster) Apply(t testing.TB, collection, manifest string) {
	t.Helper()
	var object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		t.Fatal(err)
	}
	c.Do(t, http.MethodPatch, collection+"/"+object.Metadata.Name+"?fieldManager=e2e&force=true", "application/apply-patch+yaml", []byte(manifest))
}
