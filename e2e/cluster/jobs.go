package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Runtime runs the pods of Jobs as processes of this machine. What counts pods, tries them again and gives up on them
// are the real controllers; containers there are none.
type Runtime struct {
	Programs map[string]string // files of this machine by the command of a container
	Claims   map[string]string // folders of this machine by the name of a PersistentVolumeClaim
	Secrets  map[string]string // folders of this machine by the name of a Secret
	AtOnce   int               // how many processes run at once
	// Kill reports whether the process of a pod is killed as soon as it has started: by its index, and how many pods of
	// that index there were before.
	Kill func(index string, earlier int) bool

	mu   sync.Mutex
	seen map[string]bool // pods that were started, by their uid
	ran  map[string]int  // pods by their index
}

// pod is what a runtime reads of a pod.
type pod struct {
	Metadata struct {
		Namespace, Name, UID string
		Labels               map[string]string
		OwnerReferences      []struct{ Kind string }
	}
	Spec struct {
		Containers []struct {
			Name          string
			Command, Args []string
			WorkingDir    string
			Env           []struct {
				Name, Value string
				ValueFrom   struct{ FieldRef struct{ FieldPath string } }
			}
			VolumeMounts []struct{ Name, MountPath, SubPath string }
		}
		Volumes []struct {
			Name                  string
			PersistentVolumeClaim struct{ ClaimName string }
			Secret                struct{ SecretName string }
		}
	}
}

// index returns the index of a pod of an Indexed Job.
func (p *pod) index() string { return p.Metadata.Labels["batch.kubernetes.io/job-completion-index"] }

// RunJobs has the runtime run the pods of Jobs, until the test ends.
func (c *Cluster) RunJobs(t testing.TB, r *Runtime) {
	r.seen, r.ran = map[string]bool{}, map[string]int{}
	places := make(chan struct{}, r.AtOnce)
	stop, stopped := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	t.Cleanup(func() {
		close(stop)
		<-stopped
		running.Wait()
	})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, one := range c.pending() {
					if one.isOfJob() && r.isNew(&one) {
						running.Go(func() {
							places <- struct{}{}
							defer func() { <-places }()
							c.run(t, r, &one)
						})
					}
				}
			}
		}
	}()
}

// isOfJob reports whether a Job made the pod.
func (p *pod) isOfJob() bool {
	return len(p.Metadata.OwnerReferences) > 0 && p.Metadata.OwnerReferences[0].Kind == "Job"
}

// isNew reports whether a pod was not started before.
func (r *Runtime) isNew(p *pod) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.seen[p.Metadata.UID]
	r.seen[p.Metadata.UID] = true
	return !old
}

// Pods returns how many pods there were of each index.
func (r *Runtime) Pods() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for index, n := range r.ran {
		out[index] = n
	}
	return out
}

// run runs the container of a pod, and reports what became of it.
func (c *Cluster) run(t testing.TB, r *Runtime, p *pod) {
	r.mu.Lock()
	earlier := r.ran[p.index()]
	r.ran[p.index()]++
	r.mu.Unlock()
	c.report(p, `{"phase": "Running", "startTime": %q}`, time.Now().UTC().Format(time.RFC3339))
	cmd := r.command(p)
	text, code := new(strings.Builder), 0
	cmd.Stdout, cmd.Stderr = text, text
	err := cmd.Start()
	if err == nil {
		if r.Kill != nil && r.Kill(p.index(), earlier) {
			_ = cmd.Process.Kill()
		}
		err = cmd.Wait()
	}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() < 0:
		code = 137 // as the kubelet reports SIGKILL
	case errors.As(err, &ended):
		code = ended.ExitCode()
	case err != nil:
		code = 128
	}
	t.Logf("pod %s of index %s ended with %d: %s", p.Metadata.Name, p.index(), code, text)
	phase := "Succeeded"
	if code != 0 {
		phase = "Failed"
	}
	c.report(p, `{"phase": %q, "containerStatuses": [{"name": %q, "image": "none", "imageID": "none", "ready": false, "restartCount": 0,
"state": {"terminated": {"exitCode": %d, "finishedAt": %q}}}]}`, phase, p.Spec.Containers[0].Name, code, time.Now().UTC().Format(time.RFC3339))
}

func (c *Cluster) report(p *pod, format string, values ...any) {
	path := "/api/v1/namespaces/" + p.Metadata.Namespace + "/pods/" + p.Metadata.Name + "/status"
	status := fmt.Sprintf(`{"status": `+format+`}`, values...)
	_, _, _ = c.request(http.MethodPatch, c.url+path, "application/merge-patch+json", []byte(status)) // it may be deleted
}

// command returns the process that stands for the first container of a pod: paths below its mounts are those of this
// machine.
func (r *Runtime) command(p *pod) *exec.Cmd {
	one := p.Spec.Containers[0]
	mounts := map[string]string{}
	for _, m := range one.VolumeMounts {
		for _, v := range p.Spec.Volumes {
			at := r.Claims[v.PersistentVolumeClaim.ClaimName] + r.Secrets[v.Secret.SecretName]
			if v.Name == m.Name && at != "" {
				at = filepath.Join(at, m.SubPath)
				_ = os.MkdirAll(at, 0o777) // as the kubelet makes subPath
				mounts[m.MountPath] = at
			}
		}
	}
	local := func(text string) string { // a path may follow the name of a flag
		flag, path, ok := strings.Cut(text, "=")
		if !ok {
			flag, path = "", text
		} else {
			flag += "="
		}
		for at, folder := range mounts {
			if rest, ok := strings.CutPrefix(path, at); ok && (rest == "" || rest[0] == '/') {
				return flag + folder + rest
			}
		}
		return text
	}
	env := map[string]string{"JOB_COMPLETION_INDEX": p.index()}
	for _, e := range one.Env {
		env[e.Name] = e.Value
		if _, label, ok := strings.Cut(e.ValueFrom.FieldRef.FieldPath, "metadata.labels['"); ok {
			env[e.Name] = p.Metadata.Labels[strings.TrimSuffix(label, "']")]
		}
	}
	var expanded []string
	for name, value := range env {
		expanded = append(expanded, "$("+name+")", value)
	}
	expand := strings.NewReplacer(append(expanded, "$$", "$")...)
	cmd := exec.Command(r.Programs[one.Command[0]])
	for _, arg := range append(one.Command[1:], one.Args...) {
		cmd.Args = append(cmd.Args, local(expand.Replace(arg)))
	}
	cmd.Dir = local(one.WorkingDir)
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"), "HOME="+os.TempDir())
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+local(value))
	}
	return cmd
}

// pending returns the pods that nobody has started.
func (c *Cluster) pending() []pod {
	_, text, err := c.request(http.MethodGet, c.url+"/api/v1/pods?fieldSelector=status.phase%3DPending", "", nil)
	var pods struct{ Items []pod }
	if err != nil || json.Unmarshal(text, &pods) != nil {
		return nil // the cluster is going down, or will answer the next time
	}
	return pods.Items
}
