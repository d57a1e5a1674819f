package parts

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// Registry is an OCI registry in memory, without credentials and over HTTP.
type Registry struct{ Host string }

func startRegistry(t testing.TB) *Registry {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return &Registry{Host: strings.TrimPrefix(server.URL, "http://")}
}
