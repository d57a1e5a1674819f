// Package divided makes a repository that is compared in parts, and says what one run reports of it.
package divided

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const applications = 12

// manifest is an application of which one field is to be set.
const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {size: %s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example.com/web:1
        envFrom:
        - configMapRef: {name: settings}
`

// Repository is a repository whose branch topic changes an application of main.
type Repository struct{ Dir string }

// New returns a repository with files that lie in it besides the applications: their names, and the files that
// they are copied from.
func New(t testing.TB, files map[string]string) Repository {
	t.Helper()
	r := Repository{Dir: folder.Empty(t)}
	r.Git(t, "init", "-q", "-b", "main")
	r.Git(t, "config", "user.name", "t")
	r.Git(t, "config", "user.email", "t@example.com")
	for name, from := range files {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		folder.WriteFile(t, filepath.Join(r.Dir, name), string(text))
	}
	for i := range applications {
		r.write(t, i, fmt.Sprintf(manifest, "small"))
	}
	r.commit(t)
	r.Git(t, "remote", "add", "origin", "https://git.example.com/shop/manifests.git")
	r.Git(t, "update-ref", "refs/remotes/origin/main", "main")
	r.Git(t, "checkout", "-q", "-b", "topic")
	r.write(t, 3, fmt.Sprintf(manifest, "large"))
	r.commit(t)
	return r
}

// Break commits an application that cannot be rendered.
func (r Repository) Break(t testing.TB) {
	t.Helper()
	r.write(t, 7, "kind: {")
	r.commit(t)
}

func (r Repository) write(t testing.TB, application int, text string) {
	t.Helper()
	folder.WriteFile(t, filepath.Join(r.Dir, "apps", fmt.Sprintf("app-%02d", application), "app.yaml"), text)
}

func (r Repository) commit(t testing.TB) {
	t.Helper()
	r.Git(t, "add", ".")
	r.Git(t, "commit", "-q", "-m", "more")
}

// Git returns what git prints in the repository.
func (r Repository) Git(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Report returns what one run reports in a format, and the code that it ends with.
func (r Repository) Report(t testing.TB, format string, flags ...string) (text []byte, exit int) {
	t.Helper()
	cmd := exec.Command(process.Rollstamp(t), append([]string{"diff", "apps/*", "--exit-zero", "-o", format}, flags...)...)
	cmd.Dir = r.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		exit = ended.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	if len(text) == 0 {
		t.Fatalf("one run reports nothing: %s", stderr.String())
	}
	return text, exit
}

// Example returns the path of an example.
func Example(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(folder.Root(t), "examples", "scale", name)
}

// Parts returns the names of the files of n parts that end in a folder of results.
func Parts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("part-%d-of-%d.json", i+1, n)
	}
	return out
}
