// Package stack runs all of Argo CD on a real Kubernetes control plane, with our plugin beside it, and watches what
// rolls.
package stack

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	commitserver "github.com/argoproj/argo-cd/v3/cmd/argocd-commit-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const applicationController = "argocd-application-controller"

func TestMain(m *testing.M) {
	parts.Main(m, map[string]parts.Command{
		parts.CMPServer: cmpserver.NewCommand, parts.RepoServer: reposerver.NewCommand,
		applicationController: controller.NewCommand, commitServer: commitserver.NewCommand,
	})
}

// stack is a cluster with Argo CD in it.
type stack struct {
	*cluster.Cluster
	controller *process.Process
	renderer   *parts.Renderer
	plugin     *parts.Server // nil where a test adds it later
}

const argoNamespace = "argocd"

// plugins are the ways in which we can be the plugin.
var plugins = map[string]func(*testing.T, parts.Sidecar) *parts.Server{
	"behind argocd-cmp-server": func(t *testing.T, beside parts.Sidecar) *parts.Server {
		return parts.StartCMP(t, parts.Ours(), beside)
	},
	"rollstamp argocd serve": func(t *testing.T, beside parts.Sidecar) *parts.Server {
		return parts.StartServe(t, "rollstamp", nil, beside)
	},
}

// start starts Argo CD, and its controller with more flags.
func start(t *testing.T, plugin func(*testing.T, parts.Sidecar) *parts.Server, flags ...string) *stack {
	t.Helper()
	redis, err := miniredis.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Close)
	renderer := parts.StartRepoServer(t, redis.Addr(), nil)
	s := &stack{renderer: renderer}
	if plugin != nil {
		s.plugin = plugin(t, parts.Sidecar{Plugins: renderer.Plugins})
	}
	s.Cluster = cluster.Start(t)
	s.install(t)
	flags = append([]string{
		"--kubeconfig", s.Kubeconfig, "--namespace", argoNamespace, "--redis", redis.Addr(), "--repo-server", renderer.Address,
		"--repo-server-plaintext", "--metrics-port", process.FreePort(t), "--app-resync", "0",
	}, flags...)
	s.controller = parts.Start(t, applicationController, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "TMPDIR=" + folder.Empty(t), "HOSTNAME=argocd-application-controller-0",
		"KUBECONFIG=" + s.Kubeconfig, "ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_RECONCILIATION_JITTER=0",
	}, flags...)
	return s
}

// install puts in place what the controller expects to find.
func (s *stack) install(t *testing.T) {
	t.Helper()
	for _, name := range []string{"application", "applicationset", "appproject"} {
		text, err := os.ReadFile(filepath.Join(parts.Source(t), "manifests", "crds", name+"-crd.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", string(text))
	}
	s.Apply(t, "/api/v1/namespaces", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}}`)
	const labels = `"namespace": "argocd", "labels": {"app.kubernetes.io/part-of": "argocd"}`
	for _, name := range []string{"argocd-cm", "argocd-cmd-params-cm", "argocd-rbac-cm", "argocd-tls-certs-cm", "argocd-ssh-known-hosts-cm", "argocd-gpg-keys-cm"} {
		s.Apply(t, "/api/v1/namespaces/argocd/configmaps", fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %q, %s}}`, name, labels))
	}
	s.Apply(t, "/api/v1/namespaces/argocd/secrets",
		fmt.Sprintf(`{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argocd-secret", %s}, "stringData": {"server.secretkey": "e2e"}}`, labels))
	s.API.Until(t, "the kinds of Argo CD are served", func() bool { return s.Serves("/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects") })
	s.Apply(t, "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects", `{"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
"metadata": {"name": "default", "namespace": "argocd"},
"spec": {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}], "clusterResourceWhitelist": [{"group": "*", "kind": "*"}]}}`)
}

// application is an Application in the cluster, and the repository behind it.
type application struct {
	stack *stack
	name  string
	repo  folder.Repository
}

// create makes an Application of the chart in a repository, in a namespace of its own name, that syncs, prunes and
// heals by itself.
func (s *stack) create(t *testing.T, name string, repo folder.Repository, source string) application {
	t.Helper()
	a := application{stack: s, name: name, repo: repo}
	s.Apply(t, applications, fmt.Sprintf(`{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": %[1]q, "namespace": "argocd"},
"spec": {"project": "default", "destination": {"server": "https://kubernetes.default.svc", "namespace": %[1]q},
"source": {"repoURL": %[2]q, "path": ".", "targetRevision": "main", %[3]s},
"syncPolicy": {"automated": {"prune": true, "selfHeal": true}, "syncOptions": ["CreateNamespace=true"]}}}`, name, repo.URL(), source))
	return a
}

const applications = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"

// status is what Argo CD says of an application.
type status struct {
	Sync struct {
		Status, Revision string
	}
	Health         struct{ Status string }
	History        []struct{ ID int }
	Conditions     []struct{ Type, Message string }
	OperationState struct{ Phase, Message string }
	ReconciledAt   string
}

func (a application) status(t *testing.T) status {
	t.Helper()
	var object struct{ Status status }
	a.stack.Get(t, applications+"/"+a.name, &object)
	return object.Status
}

// refresh asks Argo CD to look again, "normal" or "hard", and waits until it has found the revision synced and healthy.
func (a application) refresh(t *testing.T, how, revision string) status {
	t.Helper()
	a.stack.Do(t, http.MethodPatch, applications+"/"+a.name, "application/merge-patch+json",
		fmt.Appendf(nil, `{"metadata": {"annotations": {"argocd.argoproj.io/refresh": %q}}}`, how))
	return a.settled(t, revision)
}

// settled waits until the application is synced to a revision and healthy, and no refresh is asked for.
func (a application) settled(t *testing.T, revision string) status {
	t.Helper()
	deadline := time.Now().Add(4 * time.Minute)
	for {
		var object struct {
			Metadata struct{ Annotations map[string]string }
			Status   status
		}
		a.stack.Get(t, applications+"/"+a.name, &object)
		s := object.Status
		if object.Metadata.Annotations["argocd.argoproj.io/refresh"] == "" && s.Sync.Status == "Synced" && s.Sync.Revision == revision &&
			s.Health.Status == "Healthy" && s.OperationState.Phase == "Succeeded" {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not synced and healthy at %s after four minutes: %+v", a.name, revision, s)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// rollouts counts how many different pod templates each workload of the application has had.
func (a application) rollouts(t *testing.T) map[string]int {
	t.Helper()
	return a.stack.Rollouts(t, a.name)
}

// generations reports how often each Deployment's and StatefulSet's spec was written, by whomever.
func (a application) generations(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, kind := range []string{"deployments", "statefulsets", "daemonsets"} {
		var list struct {
			Items []struct {
				Metadata struct {
					Name       string
					Generation int
				}
			}
		}
		a.stack.Get(t, "/apis/apps/v1/namespaces/"+a.name+"/"+kind, &list)
		for _, item := range list.Items {
			out[kind+" "+item.Metadata.Name] = item.Metadata.Generation
		}
	}
	return out
}
