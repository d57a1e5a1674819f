package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// hostile are applications that end the process which renders them, with how their calls may end.
var hostile = map[string]struct {
	files map[string]string
	want  string
	code  codes.Code
}{
	"stack": {chartOf(`{{ $_ := set .Values.global "all" .Values }}a: {{ printf "%v" .Values | quote }}`),
		"calls itself without end", codes.InvalidArgument},
	"loop": {chartOf(`{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}`),
		"not finished after ", codes.DeadlineExceeded},
	"memory": {chartOf(`{{ repeat 1000000000 "x" }}`),
		"needs more than the 256 MiB of memory", codes.ResourceExhausted},
	"growth": {map[string]string{
		"app/a.jsonnet": "local f(s, n) = if n == 0 then s else f(s + s, n - 1) tailstrict;\n" +
			"std.length(f('0123456789', 40))\n"},
		"for texts and arrays that grow in its Jsonnet", codes.ResourceExhausted},
	"jsonnet": {map[string]string{"app/a.jsonnet": "local f(x) = f(x + 1) tailstrict; f(0)\n"},
		"calls itself without end, while app/a.jsonnet was evaluated", codes.InvalidArgument},
	"nested": {map[string]string{"app/a.jsonnet": "import 'deep.txt'", "app/deep.txt": strings.Repeat("[", 100_000)},
		"while app/a.jsonnet, which had read app/deep.txt last, was evaluated", codes.InvalidArgument},
}

func chartOf(template string) map[string]string {
	return map[string]string{"app/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"app/values.yaml": "global: {}\n", "app/templates/a.yaml": template}
}

// soak is a server that is called by many.
type soak struct {
	*servetest.Client
	process *exec.Cmd
	log     *bytes.Buffer // to be read after stop
	stop    func() error
}

func soakFor(t testing.TB, args ...string) *soak {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &soak{log: &bytes.Buffer{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	args = append([]string{"argocd", "serve", "--plugins-dir", dir, "--timeout", "5s", "--max-render-memory", "256Mi"},
		args...)
	s.process = exec.CommandContext(ctx, filepath.Join(programs(t), "rollstamp"), args...)
	s.process.Stdout, s.process.Stderr = s.log, s.log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var end error
	go func() {
		defer close(ended)
		end = s.process.Wait()
	}()
	s.stop = func() error {
		_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
		return end
	}
	t.Cleanup(func() { _ = s.stop() })
	if !awaitSocket(filepath.Join(dir, "rollstamp.sock"), ended) {
		t.Fatalf("the server ended with %v: %s", end, s.log)
	}
	s.Client = servetest.Dial(t, filepath.Join(dir, "rollstamp.sock"))
	return s
}

// render calls the server for an application, and returns how long that took.
func (s *soak) render(ctx context.Context, project, app string, archive []byte) (time.Duration, []string, error) {
	begun := time.Now()
	out, err := s.Manifests(ctx, servetest.Upload{Archive: archive, Dir: "app",
		Env: map[string]string{"ARGOCD_APP_NAME": app, "ARGOCD_APP_PROJECT_NAME": project}})
	return time.Since(begun), out, err
}

// TestABombHarmsItsApplicationOnly calls for each kind of bomb once, and for another application meanwhile.
func TestABombHarmsItsApplicationOnly(t *testing.T) {
	web := freeAddress(t)
	s := soakFor(t, "--parallelism", "2", "--listen", web)
	anySlow := false
	for name, bomb := range hostile {
		archive := servetest.Archive(t, bomb.files)
		neighbour := make(chan error, 1)
		go func() {
			good := servetest.Archive(t, chartOf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: c-"+name+"}\n"))
			_, out, err := s.render(t.Context(), "good", "web", good)
			if err == nil && (len(out) != 1 || !strings.Contains(out[0], name)) {
				err = fmt.Errorf("got %q", out)
			}
			neighbour <- err
		}()
		took, _, err := s.render(t.Context(), "bad", name, archive)
		// Where other work keeps the machine busy, Jsonnet may need all of its time to fill the memory.
		isSlow := name == "growth" && os.Getenv(soakCalls) == "" && status.Code(err) == codes.DeadlineExceeded
		anySlow = anySlow || isSlow
		if !isSlow && (status.Code(err) != bomb.code || !strings.Contains(status.Convert(err).Message(), bomb.want)) {
			t.Errorf("%s: %v after %s", name, err, took)
		}
		if err := <-neighbour; err != nil {
			t.Errorf("%s: the neighbour got %v", name, err)
		}
		replaced := awaitWorkers(t, "http://"+web+"/metrics", 2)
		t.Logf("%s: %s, and %s later there were two workers: %s", name, took.Round(time.Millisecond),
			replaced.Round(time.Millisecond), status.Convert(err).Message())
	}
	showsWorkers(t, "http://"+web+"/metrics", anySlow)
	if err := s.stop(); err != nil {
		t.Errorf("it stopped with %v", err)
	}
	for name := range hostile {
		if !strings.Contains(s.log.String(), `"msg":"begin","app":"`+name+`","project":"bad"`) {
			t.Errorf("the log does not name %s before it begins", name)
		}
	}
}

// soaked is what came of many calls.
type soaked struct {
	good    []time.Duration          // of those that were answered
	longest map[string]time.Duration // of the hostile ones, by their name
	failed  []string                 // of neighbours
}

// p99 returns the duration which 99 of 100 calls do not exceed.
func p99(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[(len(all)-1)*99/100]
}

// soak makes calls, so many at once, one in every of which is hostile; 0 is none.
func (s *soak) soak(t *testing.T, calls, every int) *soaked {
	t.Helper()
	out := &soaked{longest: map[string]time.Duration{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan int)
	names := []string{"stack", "loop", "memory", "growth", "jsonnet", "nested"}
	for range 4 {
		all.Go(func() {
			for i := range next {
				project, app := "p"+strconv.Itoa(i%5), "web"+strconv.Itoa(i%40)
				files := chartOf(fmt.Sprintf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: c%d-%d}\n", every, i))
				isBad := every > 0 && i%every == every-1
				if isBad {
					project, app = "bad", names[i/every%len(names)]
					files = hostile[app].files
				}
				took, _, err := s.render(t.Context(), project, app, servetest.Archive(t, files))
				mu.Lock()
				switch {
				case isBad && err == nil:
					out.failed = append(out.failed, app+" was rendered")
				case isBad:
					out.longest[app] = max(out.longest[app], took)
				case err != nil:
					out.failed = append(out.failed, fmt.Sprintf("%s/%s: %v", project, app, err))
				default:
					out.good = append(out.good, took)
				}
				mu.Unlock()
			}
		})
	}
	for i := range calls {
		next <- i
	}
	close(next)
	all.Wait()
	return out
}

// soakCalls is the variable that says how many calls a soak makes.
const soakCalls = "ROLLSTAMP_SOAK_CALLS"

// TestHostileCallsDoNotHarmOthers is small here; 'make soak' has the whole of it.
func TestHostileCallsDoNotHarmOthers(t *testing.T) {
	calls, slack := 120, 2*time.Second
	if n, err := strconv.Atoi(os.Getenv(soakCalls)); err == nil {
		calls, slack = n, 0
	}
	web := freeAddress(t)
	s := soakFor(t, "--parallelism", "2", "--listen", web)
	s.soak(t, 20, 0) // all is read and started
	calm := s.soak(t, calls, 0)
	before := ofProcess(t, s.process.Process.Pid)
	rough := s.soak(t, calls, 10)
	t.Logf("%d calls: p99 %s; of %d with one in ten hostile: p99 %s, %d neighbours failed, the longest hostile took %s",
		calls, p99(calm.good), calls, p99(rough.good), len(rough.failed), rough.longest)
	for _, failed := range slices.Concat(calm.failed, rough.failed) {
		t.Error(failed)
	}
	if most := 3*p99(calm.good) + slack; p99(rough.good) > most {
		t.Errorf("p99 is %s beside hostile calls, %s without", p99(rough.good), p99(calm.good))
	}
	s.settles(t, before)
	children := s.onlyIdle(t, "http://"+web+"/metrics")
	if err := s.stop(); err != nil {
		t.Errorf("it stopped with %v", err)
	}
	t.Logf("the longest renders of hostile ones, without their waits: %s", longestRenders(t, s.log))
	for _, pid := range children {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			t.Errorf("worker %d is left", pid)
		}
	}
}

// longestRenders returns how long each application of the project "bad" was rendered at most, from a server's log.
func longestRenders(t *testing.T, log io.Reader) map[string]time.Duration {
	t.Helper()
	begun, longest := map[string]time.Time{}, map[string]time.Duration{}
	for lines := json.NewDecoder(log); ; {
		var line struct {
			Time              time.Time
			Msg, App, Project string
		}
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return longest
		}
		if err != nil {
			t.Fatal(err)
		}
		switch since, isBegun := begun[line.App]; {
		case line.Project != "bad":
		case line.Msg == "begin":
			begun[line.App] = line.Time
		case line.Msg == "call" && isBegun:
			longest[line.App] = max(longest[line.App], line.Time.Sub(since))
			delete(begun, line.App)
		}
	}
}

// settles waits until the server has no more of the system than before: a worker that is replaced takes a moment.
func (s *soak) settles(t *testing.T, before resources) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		after := ofProcess(t, s.process.Process.Pid)
		if after.descriptors <= before.descriptors && after.zombies == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Errorf("before: %+v, after: %+v", before, after)
			return
		}
	}
}

// onlyIdle waits until no worker is busy, and returns the processes that the server has, which are workers that wait
// and nothing else.
func (s *soak) onlyIdle(t *testing.T, address string) (children []int) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		idle, busy := workersAt(t, address)
		if children = childrenOf(s.process.Process.Pid); busy == 0 && len(children) == idle {
			t.Logf("left are %d workers that wait, no other process, zombie or descriptor", idle)
			return children
		}
		select {
		case <-tick.C:
		case <-end:
			t.Errorf("%d workers wait, %d are busy, and there are %d processes", idle, busy, len(children))
			return children
		}
	}
}

// resources are what a process has of the system.
type resources struct{ descriptors, zombies int }

func ofProcess(t *testing.T, pid int) (r resources) {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("the system does not say what a process has open")
	}
	r.descriptors = len(open)
	for _, child := range childrenOf(pid) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if _, rest, ok := bytes.Cut(stat, []byte(") ")); ok && bytes.HasPrefix(rest, []byte("Z")) {
			r.zombies++
		}
	}
	return r
}

// childrenOf returns the processes that a process has started.
func childrenOf(pid int) (out []int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range all {
		text, _ := os.ReadFile(name)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			out = append(out, child)
		}
	}
	return out
}
