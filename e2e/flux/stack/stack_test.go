// Package stack applies one repository with Flux to a real Kubernetes control plane, in each of the ways in which
// stamps get there, and watches what rolls.
package stack

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

// stack is a cluster with Flux in it, and the repository that it applies.
type stack struct {
	*parts.Flux
	repo     folder.Repository
	rendered folder.Repository // what CI renders, in the way of that name
	keys     *parts.AgeKey
	policy   string // the operator's policy file
	hashKey  string
	signer   *signer
	reads    []cluster.Object // what is reconciled after a commit, in this order
}

func start(t *testing.T) *stack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "repository.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, files, _ := strings.Cut(string(text), "\n\n")
	s := &stack{Flux: parts.Start(t), keys: parts.NewAgeKey(t)}
	charts := s.ServeCharts(t, parts.PublicCharts(t), "flagger")
	s.repo.Dir = folder.New(t, strings.ReplaceAll(files, "CHARTREPO", charts.URL))
	s.keys.Encrypt(t, s.file("apps/login.yaml"), "--encrypted-regex", "^(data|stringData)$")
	s.policy = filepath.Join(folder.Empty(t), "policy.yaml")
	// As Flux has it: the code of SOPS is not checked, and charts are fetched.
	folder.WriteFile(t, s.policy, "sops: {mac: ignore}\nallow: [network=127.0.0.1]\n")
	s.hashKey = filepath.Join(filepath.Dir(s.policy), "hash-key")
	key, err := exec.Command(process.Rollstamp(t), "hash-key", "new").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.hashKey, key, 0o600); err != nil {
		t.Fatal(err)
	}
	s.signer = newSigner(t)
	s.Define(t, externalSecrets)
	s.Create(t, s.keys.Secret(parts.System))
	return s
}

// externalSecrets defines the operator's kind; no operator is needed.
const externalSecrets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: externalsecrets.external-secrets.io}
spec:
  group: external-secrets.io
  scope: Namespaced
  names: {kind: ExternalSecret, plural: externalsecrets, singular: externalsecret}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func (s *stack) file(name string) string { return filepath.Join(s.repo.Dir, name) }

// replace replaces the one place of a text in a file of the repository.
func (s *stack) replace(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(s.file(name))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), from); n != 1 {
		t.Fatalf("%s has %q %d times", name, from, n)
	}
	folder.WriteFile(t, s.file(name), strings.Replace(string(text), from, to, 1))
}

// command runs our program in the repository with the operator's keys. It may end with one of some exit codes.
func (s *stack) command(t *testing.T, program string, codes []int, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = s.repo.Dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "ROLLSTAMP_POLICY=" + s.policy, "ROLLSTAMP_HASH_KEY_FILE=" + s.hashKey}, s.keys.Environ()...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		t.Fatalf("rollstamp %s: %v\n%s%s", strings.Join(args, " "), err, out, &failure)
	}
	return out
}

// plugin is our program under the name by which Flux's command line finds it.
func plugin(t *testing.T) string {
	t.Helper()
	path := filepath.Join(folder.Empty(t), "flux-rollstamp")
	if err := os.Symlink(process.Rollstamp(t), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// foretold are the workloads that a comparison of the work tree with the last commit says will restart.
func (s *stack) foretold(t *testing.T, program string) []string {
	t.Helper()
	var comparison struct {
		Restarts []struct{ Kind, Name string }
	}
	out := s.command(t, program, []int{0, 1}, "diff", "--as", "flux", "clusters/prod", "--from", "HEAD", "-o", "json")
	if err := json.Unmarshal(out, &comparison); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	for _, r := range comparison.Restarts {
		names = append(names, r.Kind+" "+r.Name)
	}
	slices.Sort(names)
	return names
}

// reconcile lets Flux look at everything, in order, and waits until the workloads' controllers have, too.
func (s *stack) reconcile(t *testing.T) {
	t.Helper()
	for _, o := range s.reads {
		s.Reconcile(t, o)
	}
	s.API.Until(t, "the controllers have seen what was applied", func() bool {
		for _, kind := range []string{"deployments", "statefulsets"} {
			var list struct {
				Items []struct {
					Metadata struct{ Generation int }
					Status   struct{ ObservedGeneration, UpdatedReplicas int }
				}
			}
			s.Get(t, "/apis/apps/v1/namespaces/shop/"+kind, &list)
			for _, item := range list.Items {
				if item.Status.ObservedGeneration != item.Metadata.Generation || item.Status.UpdatedReplicas == 0 {
					return false
				}
			}
		}
		return true
	})
}
