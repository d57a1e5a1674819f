// Package library holds what docs/architecture.md promises to programs that embed rollstamp: from another module, the
// packages of the library stamp manifests that are given as bytes, and bring no engine and no client with them.
package library

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - name: web
        env:
        - name: LEVEL
          valueFrom: {configMapKeyRef: {name: settings, key: LEVEL}}
`

const settings = `---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {LEVEL: info, UNREAD: x}
`

func TestAControllerStampsBytes(t *testing.T) {
	stamped, p, err := stamp.Bytes(t.Context(), []byte(deployment+settings), stamp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	level := []hashing.Pair{{Key: "LEVEL", Value: redact.New([]byte("info"))}}
	want := hashing.Prefix{}.Annotation("", "ConfigMap", "settings") + ": " + hashing.Value("ConfigMap", "settings", level, nil)
	if !strings.Contains(string(stamped), want) {
		t.Errorf("%s is not in\n%s", want, stamped)
	}
	if r := p.Workloads[0].References[0]; r.Annotation+": "+r.Digest != want || len(r.Keys) != 1 {
		t.Errorf("the plan has %+v", r)
	}
	bare, err := stamp.Unstamp(t.Context(), stamped, stamp.Options{})
	if err != nil || string(bare) != deployment+settings {
		t.Errorf("without its stamps the text is\n%s%v", bare, err)
	}
}

// A controller that has a policy of its own calls the stages.
func TestAPolicyChangesWhatIsWanted(t *testing.T) {
	nothing := func([]plan.Place, []plan.Wanted) []plan.Wanted { return nil }
	atNight := func(places []plan.Place, wanted []plan.Wanted) (out []plan.Wanted) {
		for _, w := range wanted {
			if places[w.Place].Annotations["rollstamp.dev/window"] != "night" {
				out = append(out, w)
			}
		}
		return out
	}
	nightly := strings.Replace(deployment, "name: web,", "name: web, annotations: {rollstamp.dev/window: night},", 1)
	for _, c := range []struct {
		name       string
		deployment string
		policies   []policy.Func
		changed    bool
	}{
		{"the usual ones", deployment, policy.Of(nil), true},
		{"one that wants nothing", deployment, []policy.Func{nothing}, false},
		{"one for annotations that are not there", deployment, []policy.Func{atNight}, true},
		{"one for the workload's annotation", nightly, []policy.Func{atNight}, false},
	} {
		text, err := stages(t.Context(), c.deployment+settings, c.policies)
		if err != nil || text.HasChanges() != c.changed {
			t.Errorf("%s: %v\n%s", c.name, err, text.Bytes())
		}
	}
}

func stages(ctx context.Context, text string, policies []policy.Func) (splice.Edited, error) {
	out, opts := &render.Output{Text: []byte(text)}, stamp.Options{}
	in, err := stamp.Read(ctx, out, opts)
	if err != nil {
		return splice.Edited{}, err
	}
	resolved, err := stamp.Resolve(ctx, in, opts)
	if err != nil {
		return splice.Edited{}, err
	}
	decided, err := stamp.Decide(resolved, opts)
	if err != nil {
		return splice.Edited{}, err
	}
	_, edits := stamp.Plan(decided, policy.Apply(decided.Places, decided.Wanted, policies))
	return splice.Edited{Text: out.Text, Edits: edits}, nil
}

func TestReferencesAreFoundInOneObject(t *testing.T) {
	table := refs.NewTable(1, nil)
	d, err := manifest.NewReader([]byte(deployment)).Next()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for o := range d.Objects() {
		for _, row := range table.Rows(o) {
			for _, template := range table.Find(o, row) {
				for _, r := range template.References {
					found = append(found, fmt.Sprint(r.Kind, " ", r.Name, " ", r.Keys))
				}
			}
		}
	}
	if len(found) != 1 || found[0] != "ConfigMap settings [LEVEL]" {
		t.Errorf("found %v", found)
	}
}

func TestTheLibraryLinksNoEngineAndNoClient(t *testing.T) {
	const root = "github.com/rollstamp/rollstamp/"
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", root+"hashing", root+"refs", root+"plan", root+"policy", root+"stamp")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 50 {
		t.Fatalf("only %d packages: %v", len(packages), packages)
	}
	for _, p := range packages {
		for _, engine := range []string{
			"helm.sh/", "sigs.k8s.io/kustomize/", "k8s.io/client-go", "k8s.io/api/", "k8s.io/kubernetes", "github.com/go-git/",
			"github.com/aws/", "cloud.google.com/", "github.com/Azure/", "github.com/spf13/cobra", root + "cmd/", root + "argocd",
		} {
			if strings.HasPrefix(p, engine) {
				t.Errorf("the library links %s", p)
			}
		}
	}
}
