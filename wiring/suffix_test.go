package wiring_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/stamp"
)

const generatedMap = "  envs: [settings.env]\n  files: [nginx.conf]\n"

// generators are kustomizations whose generators name ConfigMaps and Secrets.
var generators = map[string]map[string]string{
	"all places of a pod": {
		"kustomization.yaml": "namespace: shop\nnamePrefix: my-\nresources: [web.yaml]\nconfigMapGenerator:\n- name: settings\n" +
			generatedMap + "secretGenerator:\n- name: login\n  literals: [P=x]\n- name: pull\n  type: kubernetes.io/dockerconfigjson\n" +
			"  literals: ['.dockerconfigjson={}']\n",
		"settings.env": "LEVEL=info\n", "nginx.conf": "server {}\n",
		"web.yaml": `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      imagePullSecrets: [{name: pull}]
      initContainers:
      - name: i
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: login}}]
      containers:
      - name: c
        env:
        - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: LEVEL}}}
        - {name: B, valueFrom: {secretKeyRef: {name: login, key: P}}}
        volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: c, mountPath: /c}]
      volumes:
      - {name: a, configMap: {name: settings}}
      - {name: b, secret: {secretName: login}}
      - name: c
        projected: {sources: [{configMap: {name: settings}}, {secret: {name: login}}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: web}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: i}]
`,
	},
}

// TestSuffixesAreWhereKustomizeWritesHashes compares the strategy with what the generators of the real kustomize do: it
// takes the hashes out of a build, stamps that, and has to come to the same names in the same places, but for objects
// that keep their names with a finding, or that nobody reads. More kustomizations are those in the folders that
// ROLLSTAMP_TREES lists.
func TestSuffixesAreWhereKustomizeWritesHashes(t *testing.T) {
	t.Parallel()
	for name, files := range generators {
		dir := t.TempDir()
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c := compareNames(t, dir); c.failed != nil || c.generated != 3 || c.renamed != 2 || c.unread != 1 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	built, failed, all := 0, 0, names{}
	for _, dir := range filepath.SplitList(os.Getenv("ROLLSTAMP_TREES")) {
		for _, found := range kustomizationsBelow(t, dir) {
			c := compareNames(t, found)
			if c.failed != nil {
				t.Logf("%s: %v", found, c.failed)
				failed++
				continue
			}
			if c.generated > 0 {
				built++
			}
			all.add(c)
		}
	}
	t.Logf("%d kustomizations, %d failed: %+v", built, failed, all)
}

func kustomizationsBelow(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(d.Name(), "kustomization.y") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "Generator:") {
			found = append(found, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// names counts what became of the names that kustomize generated, and the objects of these builds.
type names struct {
	generated, renamed, kept, unread, unfollowed int
	objects, different                           int
	failed                                       error
}

func (n *names) add(o names) {
	n.generated, n.renamed = n.generated+o.generated, n.renamed+o.renamed
	n.kept, n.unread, n.unfollowed = n.kept+o.kept, n.unread+o.unread, n.unfollowed+o.unfollowed
	n.objects, n.different = n.objects+o.objects, n.different+o.different
}

// build runs the real kustomize; not for long, because some kustomizations ask for what is remote.
func build(t *testing.T, dir string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, stock.Kustomize(t), "build", dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("kustomize build: %w: %.200s", err, stderr.String())
	}
	return string(out), nil
}

// compareNames builds a kustomization and compares.
func compareNames(t *testing.T, dir string) (c names) {
	t.Helper()
	built, err := build(t, dir)
	if err != nil {
		return names{failed: err}
	}
	bases := map[string]string{} // by the generated name
	for _, o := range objectsIn(t, built) {
		if base, ok := generated.Base(o.Name); ok && generated.HasHash(o) {
			c.generated++
			if isUnfollowed(built, o, base) {
				c.unfollowed++
				continue
			}
			bases[o.Name] = base
		}
	}
	if len(bases) == 0 {
		return c
	}
	bare := replaceNames(built, bases)
	bySuffix := config.Setting[config.Strategy]{Value: config.StrategySuffix}
	opts := stamp.Options{Settings: &config.Settings{InForce: &config.InForce{Strategy: bySuffix}}}
	text, p, err := stamp.Bytes(t.Context(), []byte(bare), opts)
	if err != nil {
		return names{failed: err}
	}
	suffixed := map[string]string{} // by the base
	for _, s := range p.Stamps {
		if s.Reason == plan.Renamed && s.Key == "metadata.name" {
			suffixed[s.Name] = s.Value
		}
	}
	wanted := map[string]string{}
	for name, base := range bases {
		wanted[name] = base
		switch {
		case suffixed[base] != "":
			wanted[name] = suffixed[base]
			c.renamed++
		case hasFinding(p, base):
			c.kept++
		case isRead(p, base):
			t.Errorf("%s: %s is read, and keeps its name without a finding", dir, base)
		default:
			c.unread++
		}
	}
	others := map[string]string{} // the bases of objects that no generator made, by the name
	for base, name := range suffixed {
		others[name] = base
	}
	for _, base := range bases {
		delete(others, suffixed[base])
	}
	got, want := withoutStamps(t, replaceNames(string(text), others)), withoutStamps(t, replaceNames(built, wanted))
	if len(got) != len(want) {
		t.Fatalf("%s: %d objects, not %d", dir, len(got), len(want))
	}
	c.objects = len(got)
	for i := range got {
		if got[i] != want[i] {
			c.different++
			t.Errorf("%s:\n%s\n---\n%s", dir, got[i], want[i])
		}
	}
	return c
}

// isUnfollowed reports whether kustomize left references to a generated name as they were: it takes a ConfigMap without
// a namespace for another one than what a workload with a namespace reads, although both may be applied to one.
func isUnfollowed(built string, o manifest.Object, base string) bool {
	return o.Namespace == "" && strings.Count(built, o.Name) == 1 && strings.Contains(built, "name: "+base+"\n")
}

func hasFinding(p *plan.Plan, name string) bool {
	for _, f := range p.Findings {
		if f.Code == diag.NameStays && strings.HasSuffix(strings.Split(f.Message, " keeps")[0], name) {
			return true
		}
	}
	return false
}

// isRead reports whether a stamped workload reads an object at its start.
func isRead(p *plan.Plan, name string) bool {
	for _, w := range p.Workloads {
		for _, r := range w.References {
			if w.Stamped && r.Name == name && !reflect.DeepEqual(r.Forms, []string{"imagePullSecrets"}) {
				return true
			}
		}
	}
	return false
}

func objectsIn(t *testing.T, text string) (out []manifest.Object) {
	t.Helper()
	for r := manifest.NewReader([]byte(text)); ; {
		d, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return out
		}
		d = d.Clone()
		for o := range d.Objects() {
			out = append(out, o)
		}
	}
}

// replaceNames replaces whole names; those for which there is "" stay.
func replaceNames(text string, by map[string]string) string {
	return regexp.MustCompile(`[a-z0-9.-]+`).ReplaceAllStringFunc(text, func(word string) string {
		if to := by[word]; to != "" {
			return to
		}
		return word
	})
}

// withoutStamps returns the objects of a text without annotations of ours.
func withoutStamps(t *testing.T, text string) (out []string) {
	t.Helper()
	for r := manifest.NewReader([]byte(text)); ; {
		d, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return out
		}
		var table map[string]any
		if err := kube.Unmarshal(d.Body(), &table); err != nil {
			t.Fatal(err)
		}
		dropStamps(table)
		encoded, err := kube.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(encoded))
	}
}

func dropStamps(table map[string]any) {
	for key, value := range table {
		below, isTable := value.(map[string]any)
		switch {
		case strings.HasPrefix(key, "checksum.rollstamp.dev/"):
			delete(table, key)
			continue
		case isTable:
			dropStamps(below)
			if len(below) == 0 && (key == "annotations" || key == "metadata") {
				delete(table, key)
			}
		}
		items, _ := value.([]any)
		for _, item := range items {
			if below, ok := item.(map[string]any); ok {
				dropStamps(below)
			}
		}
	}
}
