// Package policies holds what is stamped under each strategy and decision against a real Kubernetes: exactly the
// workloads that should restart do, once.
package policies_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// manifests are four workloads: web reads a key of settings, worker all of them, desk a Secret, and idle nothing.
const manifests = `
-- app/settings.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: NAMESPACE}
data:
  color: red
  size: small
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: NAMESPACE}
stringData:
  password: first
-- app/workloads.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAMESPACE}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: example.com/web:1
        env:
        - name: COLOR
          valueFrom: {configMapKeyRef: {name: settings, key: color}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker, namespace: NAMESPACE}
spec:
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec:
      containers:
      - name: c
        image: example.com/worker:1
        envFrom:
        - configMapRef: {name: settings}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: desk, namespace: NAMESPACE}
spec:
  serviceName: desk
  selector: {matchLabels: {app: desk}}
  template:
    metadata: {labels: {app: desk}}
    spec:
      containers:
      - name: c
        image: example.com/desk:1
        volumeMounts: [{name: login, mountPath: /login}]
      volumes:
      - name: login
        secret: {secretName: login}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: idle, namespace: NAMESPACE}
spec:
  selector: {matchLabels: {app: idle}}
  template:
    metadata: {labels: {app: idle}}
    spec:
      containers: [{name: c, image: "example.com/idle:1"}]
`

// shop is an application in Git, and its namespace in a cluster.
type shop struct {
	*cluster.Cluster
	dir, namespace, program string
	applied                 []cluster.Object
}

// open makes a namespace and an application with a configuration for it.
func open(t *testing.T, c *cluster.Cluster, configuration string) *shop {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	s := &shop{Cluster: c, dir: t.TempDir(), namespace: name, program: process.Rollstamp(t)}
	c.Create(t, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name))
	folder.Write(t, s.dir, strings.ReplaceAll(manifests, "NAMESPACE", name))
	folder.WriteFile(t, filepath.Join(s.dir, ".rollstamp.yaml"), configuration)
	folder.WriteFile(t, filepath.Join(s.dir, "rollstamp.lock"), "schema 3\n")
	folder.Repository{Dir: s.dir}.Commit(t, "all") // its top is where settings and locks end
	return s
}

// run runs our program in the application's repository and returns what it prints.
func (s *shop) run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "ROLLSTAMP_TIME=2026-01-02T03:04:05Z")
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("rollstamp %s: %v\n%s", strings.Join(args, " "), err, &errors)
	}
	return out
}

// replace changes a text in a file.
func (s *shop) replace(t *testing.T, file, old, by string) {
	t.Helper()
	replaceIn(t, filepath.Join(s.dir, file), old, by)
}

// replaceIn changes a text in a file, which has to have it.
func replaceIn(t *testing.T, path, old, by string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", path, old)
	}
	folder.WriteFile(t, path, strings.ReplaceAll(string(text), old, by))
}

// sync brings what our program renders to the cluster as an engine does: all objects are applied, and when the
// workloads have rolled, those that are in the render no longer are deleted.
func (s *shop) sync(t *testing.T, args ...string) {
	t.Helper()
	now := cluster.Parse(t, s.run(t, append([]string{"render", "app"}, args...)...))
	for _, o := range now {
		s.CreateObject(t, o)
	}
	s.settle(t)
	for _, old := range s.applied {
		is := func(o cluster.Object) bool { return o.String() == old.String() }
		if !slices.ContainsFunc(now, is) {
			s.Do(t, http.MethodDelete, s.Path(t, old), "", nil)
		}
	}
	s.applied = now
}

// settle waits until the controllers have seen each workload as it is.
func (s *shop) settle(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"deployments", "statefulsets"} {
		s.API.Until(t, kind+" are rolled out", func() bool {
			var list struct {
				Items []struct {
					Metadata struct{ Generation int }
					Spec     struct{ Replicas int }
					Status   struct {
						ObservedGeneration, Replicas, UpdatedReplicas, ReadyReplicas int
						CurrentRevision, UpdateRevision                              string
					}
				}
			}
			s.Get(t, "/apis/apps/v1/namespaces/"+s.namespace+"/"+kind, &list)
			for _, w := range list.Items {
				n := w.Status
				if n.ObservedGeneration != w.Metadata.Generation || n.UpdatedReplicas != w.Spec.Replicas ||
					n.Replicas != w.Spec.Replicas || n.ReadyReplicas != w.Spec.Replicas {
					return false
				}
			}
			return true
		})
	}
}

// first returns the rollouts of a namespace in which nothing has restarted.
func first() map[string]int {
	return map[string]int{"Deployment web": 1, "Deployment worker": 1, "StatefulSet desk": 1, "Deployment idle": 1}
}

// rolled adds a rollout to workloads, and holds those that there were in the cluster against it.
func (s *shop) rolled(t *testing.T, when string, want map[string]int, names ...string) {
	t.Helper()
	for _, name := range names {
		want[name]++
	}
	if diff := cmp.Diff(want, s.Rollouts(t, s.namespace)); diff != "" {
		t.Errorf("after %s (-want +got):\n%s", when, diff)
	}
}
