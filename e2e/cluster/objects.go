package cluster

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// Object is a manifest as the API server takes and returns it.
type Object map[string]any

// Text returns a field that is a string, or nothing.
func (o Object) Text(path ...string) string {
	s, _ := o.Field(path...).(string)
	return s
}

// Field returns what lies at a path of keys, or nil.
func (o Object) Field(path ...string) any {
	var at any = map[string]any(o)
	for _, key := range path {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return at
}

// Kind, Name and Namespace are what an object is found by.
func (o Object) Kind() string      { return o.Text("kind") }
func (o Object) Name() string      { return o.Text("metadata", "name") }
func (o Object) Namespace() string { return o.Text("metadata", "namespace") }

// String names the object: "apps/v1 Deployment shop/web".
func (o Object) String() string {
	name := o.Name()
	if ns := o.Namespace(); ns != "" {
		name = ns + "/" + name
	}
	return o.Text("apiVersion") + " " + o.Kind() + " " + name
}

// Parse reads the objects of a stream of manifests.
func Parse(t testing.TB, stream []byte) []Object {
	t.Helper()
	var out []Object
	for document := range bytes.SplitSeq(append([]byte("\n"), stream...), []byte("\n---")) {
		_, document, _ = bytes.Cut(document, []byte("\n"))
		var o Object
		if err := yaml.Unmarshal(append(slices.Clip(document), '\n'), &o); err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
		if len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// kind is how the API server serves one kind.
type kind struct {
	Name, Kind string
	Namespaced bool
}

// kinds are those that were asked for so far, by version and kind.
type kinds struct {
	sync.Mutex
	known map[string]kind
}

// Path is where the API server has an object; one without a namespace is in default.
func (c *Cluster) Path(t testing.TB, o Object) string {
	t.Helper()
	version := o.Text("apiVersion")
	k := c.kind(t, version, o.Kind())
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	if k.Namespaced {
		ns := o.Namespace()
		if ns == "" {
			ns = "default"
		}
		path += "/namespaces/" + ns
	}
	return path + "/" + k.Name + "/" + url.PathEscape(o.Name())
}

func (c *Cluster) kind(t testing.TB, version, name string) kind {
	t.Helper()
	c.kinds.Lock()
	defer c.kinds.Unlock()
	if k, known := c.kinds.known[version+" "+name]; known {
		return k
	}
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	var list struct{ Resources []kind }
	c.Get(t, path, &list)
	for _, k := range list.Resources {
		if k.Kind == name && !strings.Contains(k.Name, "/") {
			if c.kinds.known == nil {
				c.kinds.known = map[string]kind{}
			}
			c.kinds.known[version+" "+name] = k
			return k
		}
	}
	t.Fatalf("the API server has no kind %s in %s", name, version)
	return kind{}
}

// Create applies all objects of a stream of manifests on the side of the server.
func (c *Cluster) Create(t testing.TB, stream string) {
	t.Helper()
	for _, o := range Parse(t, []byte(stream)) {
		c.CreateObject(t, o)
	}
}

// CreateObject applies one object.
func (c *Cluster) CreateObject(t testing.TB, o Object) {
	t.Helper()
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	c.Do(t, http.MethodPatch, c.Path(t, o)+"?fieldManager=e2e&force=true", "application/apply-patch+yaml", text)
}

// Define adds kinds from the texts of CustomResourceDefinitions, and waits until they are served.
func (c *Cluster) Define(t testing.TB, definitions ...string) {
	t.Helper()
	for _, text := range definitions {
		c.Create(t, text)
	}
	for _, text := range definitions {
		for _, o := range Parse(t, []byte(text)) {
			path := c.Path(t, o)
			c.API.Until(t, o.Name()+" is served", func() bool {
				var live Object
				c.Get(t, path, &live)
				return established(live)
			})
		}
	}
}

func established(o Object) bool {
	conditions, _ := o.Field("status", "conditions").([]any)
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if m["type"] == "Established" {
			return fmt.Sprint(m["status"]) == "True"
		}
	}
	return false
}
