package stack

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// syncing are options of an Application that say how it is compared and synced.
type syncing struct {
	annotations, options, ignored string // as YAML in brackets
	waves                         bool   // the ConfigMap is applied in a wave before its consumers
}

var ways = map[string]syncing{
	"server-side-diff": {annotations: `argocd.argoproj.io/compare-options: ServerSideDiff=true`, options: `ServerSideApply=true`},
	"out-of-sync-only": {options: `ApplyOutOfSyncOnly=true`},
	"waves":            {waves: true},
	"respected": {options: `RespectIgnoreDifferences=true`,
		ignored: `{group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}`},
	"swallowed": {options: `RespectIgnoreDifferences=true`,
		ignored: `{group: apps, kind: Deployment, jsonPointers: [/spec/template/metadata/annotations]}`},
}

func TestStampsRollWhateverTheOptionsOfASyncAre(t *testing.T) {
	s := start(t, plugins["rollstamp argocd serve"])
	repos, apps := map[bool]folder.Repository{}, map[string]application{}
	revisions := map[bool]string{}
	for _, waves := range []bool{false, true} {
		chart := retail
		if waves {
			chart = strings.Replace(chart, "  name: settings\n",
				"  name: settings\n  annotations: {argocd.argoproj.io/sync-wave: \"-1\"}\n", 1)
		}
		repos[waves] = folder.Repository{Dir: folder.New(t, chart)}
		revisions[waves] = repos[waves].Commit(t, "all")
	}
	for name, way := range ways {
		apps[name] = s.createWith(t, name, repos[way.waves], way)
	}
	for name, way := range ways {
		apps[name].settled(t, revisions[way.waves])
	}
	s.scale(t, "respected", 3)
	for _, waves := range []bool{false, true} {
		folder.WriteFile(t, filepath.Join(repos[waves].Dir, "values.yaml"), "level: debug\ngreeting: hello\n")
		revisions[waves] = repos[waves].Commit(t, "another level")
	}
	for name, way := range ways {
		app := apps[name]
		app.refresh(t, "normal", revisions[way.waves])
		want := map[string]int{"Deployment web": 2, "Deployment greeter": 1, "Deployment idle": 1, "StatefulSet store": 2}
		if name == "swallowed" { // what Argo CD is told to leave as it is holds the stamps, too
			want["Deployment web"] = 1
		}
		same(t, name, app.rollouts(t), want)
		before, syncs := app.generations(t), len(app.status(t).History)
		app.refresh(t, "hard", revisions[way.waves])
		same(t, "writes after a hard refresh of "+name, app.generations(t), before)
		if after := len(app.status(t).History); after != syncs {
			t.Errorf("%s: %d syncs of one revision, want %d", name, after, syncs)
		}
	}
	if n := s.replicas(t, "respected"); n != 3 {
		t.Errorf("respected: %d replicas, though their number is not to be compared", n)
	}
	s.inOrder(t, "waves")
}

// createWith makes an Application of the chart in a repository as create does, with options.
func (s *stack) createWith(t *testing.T, name string, repo folder.Repository, way syncing) application {
	t.Helper()
	options := strings.TrimSuffix("CreateNamespace=true, "+way.options, ", ")
	s.Apply(t, applications, fmt.Sprintf(`{apiVersion: argoproj.io/v1alpha1, kind: Application,
metadata: {name: %[1]q, namespace: argocd, annotations: {%[3]s}},
spec: {project: default, destination: {server: "https://kubernetes.default.svc", namespace: %[1]q},
source: {repoURL: %[2]q, path: ., targetRevision: main, plugin: {name: rollstamp}}, ignoreDifferences: [%[5]s],
syncPolicy: {automated: {prune: true, selfHeal: true}, syncOptions: [%[4]s]}}}`,
		name, repo.URL(), way.annotations, options, way.ignored))
	return application{stack: s, name: name, repo: repo}
}

const deployments = "/apis/apps/v1/namespaces/%s/deployments/web"

// scale sets the replicas of web, as an autoscaler does.
func (s *stack) scale(t *testing.T, namespace string, replicas int) {
	t.Helper()
	s.Do(t, http.MethodPatch, fmt.Sprintf(deployments, namespace), "application/merge-patch+json",
		fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas))
}

func (s *stack) replicas(t *testing.T, namespace string) int {
	t.Helper()
	var object struct{ Spec struct{ Replicas int } }
	s.Get(t, fmt.Sprintf(deployments, namespace), &object)
	return object.Spec.Replicas
}

// inOrder looks for the ConfigMap in a wave of its own: Argo CD waits two seconds after a wave.
func (s *stack) inOrder(t *testing.T, namespace string) {
	t.Helper()
	var settings struct {
		Metadata struct{ ManagedFields []struct{ Time time.Time } }
	}
	s.Get(t, "/api/v1/namespaces/"+namespace+"/configmaps/settings", &settings)
	var sets struct {
		Items []struct {
			Metadata struct {
				CreationTimestamp time.Time
				OwnerReferences   []struct{ Name string }
			}
		}
	}
	s.Get(t, "/apis/apps/v1/namespaces/"+namespace+"/replicasets", &sets)
	var written, rolled time.Time
	for _, f := range settings.Metadata.ManagedFields {
		if f.Time.After(written) {
			written = f.Time
		}
	}
	for _, set := range sets.Items {
		if set.Metadata.OwnerReferences[0].Name == "web" && set.Metadata.CreationTimestamp.After(rolled) {
			rolled = set.Metadata.CreationTimestamp
		}
	}
	if rolled.Sub(written) < time.Second {
		t.Errorf("the ConfigMap was written at %s, and web rolled at %s", written, rolled)
	}
}
