package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// TestAWarmWorkerCostsARenderLittle compares what a render of a small application takes of the processors in a worker
// and in the server itself, where nothing is in a cache. A worker that were started for each render, or that read its
// schemas again, would take many times as much. The soak holds it to the milliseconds that docs/argocd.md has.
func TestAWarmWorkerCostsARenderLittle(t *testing.T) {
	const times, most = 4, 2 * time.Millisecond
	rounds, calls, isSoak := 3, 60, os.Getenv(soakCalls) != ""
	if isSoak {
		rounds, calls = 9, 200
	}
	apart := soakFor(t, "--parallelism", "1", "--log-level", "error")
	inside := soakFor(t, "--parallelism", "1", "--log-level", "error", "--isolate=false")
	var more, all []time.Duration
	for round := range rounds + 1 {
		a := apart.costOf(t, round, calls)
		b := inside.costOf(t, round, calls)
		if round > 0 { // the first one warms
			more, all = append(more, (a-b)/time.Duration(calls)), append(all, b/time.Duration(calls))
		}
	}
	slices.Sort(more)
	slices.Sort(all)
	added, without := more[len(more)/2], all[len(all)/2]
	t.Logf("a worker adds %s to a render, which takes %s without: medians of %s and %s", added, without, more, all)
	if isSoak && added > most || without+added > times*without {
		t.Errorf("a worker adds %s to a render of %s", added, without)
	}
}

// costOf returns what so many renders take of the processors, each of another commit.
func (s *soak) costOf(t *testing.T, round, calls int) time.Duration {
	t.Helper()
	pids := append(childrenOf(s.process.Process.Pid), s.process.Process.Pid)
	before := cpuOf(t, pids)
	for i := range calls {
		files := chartOf(fmt.Sprintf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: c%d-%d}\n", round, i))
		if _, _, err := s.render(t.Context(), "a", "web", servetest.Archive(t, files)); err != nil {
			t.Fatal(err)
		}
	}
	return cpuOf(t, pids) - before
}

// cpuOf returns the time of the processors that processes have had.
func cpuOf(t *testing.T, pids []int) (sum time.Duration) {
	t.Helper()
	for _, pid := range pids {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		for _, task := range tasks {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, task.Name()))
			if err != nil {
				continue // the thread has ended
			}
			ran, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseInt(ran, 10, 64)
			sum += time.Duration(n)
		}
	}
	if sum == 0 {
		t.Skip("the system does not say how long a process ran")
	}
	return sum
}
