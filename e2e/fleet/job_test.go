// Package fleet holds a run that is divided by a Job of Kubernetes against one that is not. The API server and the Job
// controller are the real ones; processes take the place of containers.
package fleet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const (
	applications = 60
	many         = 10_000
	shards       = 20
	canary       = "c4n4ry-of-the-fleet"
)

// manifest is an application: SIZE and NAME are replaced.
const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: NAME}
data: {size: SIZE}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: NAME}
stringData: {password: PASSWORD}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAME}
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
        - secretRef: {name: login}
`

// work is a volume with a repository and folders of results and of cached renders.
type work struct{ dir string }

func (w work) repository() string { return filepath.Join(w.dir, "repository") }

func (w work) write(t *testing.T, application int, text string) {
	t.Helper()
	name := fmt.Sprintf("app-%05d", application)
	folder.WriteFile(t, filepath.Join(w.repository(), "apps", name, "app.yaml"), strings.ReplaceAll(text, "NAME", name))
}

// newWork commits so many applications.
func newWork(t *testing.T, count int) work {
	t.Helper()
	w := work{dir: folder.Empty(t)}
	for i := range count {
		w.write(t, i, sized("small"))
	}
	folder.WriteFile(t, filepath.Join(w.dir, "key", "hash-key"), strings.Repeat("0123456789abcdef", 4)+"\n")
	folder.Repository{Dir: w.repository()}.Commit(t, "one")
	return w
}

func sized(size string) string {
	return strings.NewReplacer("SIZE", size, "PASSWORD", canary).Replace(manifest)
}

// run runs rollstamp in the repository, with the hash key, and returns what it prints.
func (w work) run(t *testing.T, exit int, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(process.Rollstamp(t), args...)
	cmd.Dir = w.repository()
	cmd.Env = append(os.Environ(), "ROLLSTAMP_HASH_KEY_FILE="+filepath.Join(w.dir, "key", "hash-key"))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() != exit || err == nil && exit != 0 {
		t.Fatalf("rollstamp %v: %v, want %d\n%s", args, err, exit, errs.String())
	}
	return out
}

// status is what a test reads of a Job.
type status struct {
	Metadata struct{ UID string }
	Status   struct {
		CompletedIndexes, FailedIndexes string
		Conditions                      []struct{ Type, Status, Reason string }
	}
}

func (s *status) is(condition string) bool {
	for _, c := range s.Status.Conditions {
		if c.Type == condition && c.Status == "True" {
			return true
		}
	}
	return false
}

// do runs a Job as fleet job prints it until it ends, and returns its end and the folder of its results.
func (w work) do(t *testing.T, c *cluster.Cluster, name string, args ...string) (*status, string) {
	t.Helper()
	job := w.run(t, 0, append([]string{"fleet", "job", "--shards", fmt.Sprint(shards), "--image", "example.com/rollstamp:1", "--name", name,
		"--source", "work/repository", "--results", "work/results", "--cache", "work/cache", "--hash-key-secret", "key"}, args...)...)
	const jobs = "/apis/batch/v1/namespaces/default/jobs"
	c.Apply(t, jobs, string(job))
	var s status
	for deadline := time.Now().Add(3 * time.Minute); !s.is("Complete") && !s.is("Failed"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("Job %s has not ended: %+v", name, s)
		}
		s = status{}
		c.Get(t, jobs+"/"+name, &s)
	}
	return &s, filepath.Join(w.dir, "results", s.Metadata.UID)
}

// runtime runs pods with the volume at the folder.
func (w work) runtime(t *testing.T, c *cluster.Cluster, kill func(index string, earlier int) bool) *cluster.Runtime {
	t.Helper()
	r := &cluster.Runtime{
		Programs: map[string]string{"/usr/local/bin/rollstamp": process.Rollstamp(t)},
		Claims:   map[string]string{"work": w.dir},
		Secrets:  map[string]string{"key": filepath.Join(w.dir, "key")},
		AtOnce:   2,
		Kill:     kill,
	}
	c.RunJobs(t, r)
	return r
}

// once is how many pods there are of each index where none was tried again but those given.
func once(more map[string]int) map[string]int {
	out := map[string]int{}
	for i := range shards {
		index := fmt.Sprint(i)
		out[index] = 1 + more[index]
	}
	return out
}

func TestAJobReportsWhatOneRunDoes(t *testing.T) {
	c, w := cluster.Start(t), newWork(t, applications)
	for i := 0; i < applications; i += 3 {
		w.write(t, i, sized("large"))
	}
	want := w.run(t, 1, "diff", "apps/*", "--from", "HEAD", "-o", "json")
	pods := w.runtime(t, c, func(index string, earlier int) bool { return index == "3" && earlier == 0 })
	s, results := w.do(t, c, "compare", "apps/*", "--", "--from", "HEAD")
	if !s.is("Complete") || s.Status.CompletedIndexes != fmt.Sprintf("0-%d", shards-1) {
		t.Errorf("the Job ended so: %+v", s)
	}
	if d := cmp.Diff(once(map[string]int{"3": 1}), pods.Pods()); d != "" {
		t.Errorf("pods by index; the one that was killed is tried again, alone (-want +got):\n%s", d)
	}
	if got := read(t, filepath.Join(results, "report.json")); !bytes.Equal(got, want) {
		t.Errorf("the joined report is not that of one run:\n%s", cmp.Diff(string(want), string(got)))
	}
}

func TestAnApplicationThatFailsEndsItsPartAlone(t *testing.T) {
	c, w := cluster.Start(t), newWork(t, applications)
	w.write(t, 7, "kind: {")
	w.write(t, 8, sized("large"))
	want := w.run(t, 3, "diff", "apps/*", "--from", "HEAD", "-o", "json")
	pods := w.runtime(t, c, nil)
	s, results := w.do(t, c, "compare", "apps/*", "--", "--from", "HEAD")
	if !s.is("Failed") || s.Status.FailedIndexes == "" || strings.ContainsAny(s.Status.FailedIndexes, ",-") {
		t.Errorf("want one index to fail: %+v", s)
	}
	if d := cmp.Diff(once(nil), pods.Pods()); d != "" {
		t.Errorf("pods by index; none is tried again (-want +got):\n%s", d)
	}
	if got := read(t, filepath.Join(results, "report.json")); !bytes.Equal(got, want) {
		t.Errorf("the joined report is not that of one run:\n%s", cmp.Diff(string(want), string(got)))
	}
}

func TestAJobRendersWhatOneRunDoesAndOnceOnly(t *testing.T) {
	c, w := cluster.Start(t), newWork(t, applications)
	w.runtime(t, c, nil)
	one := func(name string) {
		t.Helper()
		want := filepath.Join(w.dir, "one", name)
		w.run(t, 0, "render", "apps/*", "--output-dir", filepath.Join(want, "manifests"))
		s, results := w.do(t, c, name, "--command", "render", "apps/*")
		if !s.is("Complete") {
			t.Fatalf("the Job ended so: %+v", s)
		}
		if d := cmp.Diff(tree(t, want), tree(t, filepath.Join(results, "manifests"), "manifests")); d != "" {
			t.Errorf("%s: not the files of one run (-want +got):\n%s", name, d)
		}
	}
	one("first")
	entries := len(tree(t, filepath.Join(w.dir, "cache")))
	if entries < applications {
		t.Fatalf("%d files are in the cache", entries)
	}
	w.write(t, 5, sized("large"))
	one("second")
	for path, text := range tree(t, filepath.Join(w.dir, "cache")) {
		if strings.Contains(text, canary) {
			t.Errorf("%s of the cache holds the value of a Secret", path)
		}
	}
	poison(t, filepath.Join(w.dir, "cache"))
	one("third")
}

// poison changes a byte in the middle of each file.
func poison(t *testing.T, dir string) {
	t.Helper()
	for path, text := range tree(t, dir) {
		changed := []byte(text)
		changed[len(changed)/2] ^= 1
		folder.WriteFile(t, filepath.Join(dir, path), string(changed))
	}
}

// tree returns the files below a folder, named from it or from a folder of another name in its place.
func tree(t *testing.T, dir string, as ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.Join(append(slices.Clone(as), rel)...)] = string(read(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
