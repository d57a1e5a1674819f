package login_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/internal/login"
)

func TestWhatAFileHasForAHost(t *testing.T) {
	const plain = `"auths": {"r.example": {"auth": "dTpw"}, "https://index.docker.io/v1/": {"auth": "aDpw"}}`
	ask := func(_ context.Context, name, address string) (auth.Credential, error) {
		return auth.Credential{Username: name + " for " + address}, nil
	}
	for _, c := range []struct{ file, host, want string }{
		{`{` + plain + `}`, "r.example", "u"},
		{`{` + plain + `}`, "other.example", ""},
		{`{` + plain + `}`, "registry-1.docker.io", "h"},
		{`{` + plain + `, "credsStore": "all"}`, "r.example", "all for r.example"},
		{`{` + plain + `, "credHelpers": {"r.example": "one"}}`, "r.example", "one for r.example"},
		{`{` + plain + `, "credHelpers": {"r.example": "one"}, "credsStore": "all"}`, "r.example", "one for r.example"},
		{`{` + plain + `, "credHelpers": {"r.example": "one"}}`, "registry-1.docker.io", "h"},
		{`{"credsStore": "all"}`, "registry-1.docker.io", "all for https://index.docker.io/v1/"},
		{`{}`, "r.example", ""},
	} {
		f, err := login.Read(written(t, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Credential(t.Context(), c.host, ask); err != nil || got.Username != c.want {
			t.Errorf("%s: %s has %q, %v, want %q", c.file, c.host, got.Username, err, c.want)
		}
	}
}

func TestAFileThatIsNotThereHasNothing(t *testing.T) {
	f, err := login.Read(filepath.Join(t.TempDir(), "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Credential(t.Context(), "r.example", nil); err != nil || got != auth.EmptyCredential {
		t.Error(got, err)
	}
}

func TestWhatCannotBeReadIsNotShown(t *testing.T) {
	for _, text := range []string{
		`{"auths": {"canary`, `[]`, `{"credsStore": 1, "auths": "canary"}`, `{"auths": {"r.example": {"auth": "canary!"}}}`,
	} {
		f, err := login.Read(written(t, text))
		if err == nil {
			_, err = f.Credential(t.Context(), "r.example", nil)
		}
		if !errors.Is(err, login.ErrUnreadable) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
