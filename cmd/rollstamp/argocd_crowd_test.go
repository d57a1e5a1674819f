package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// crowds are templates that keep a place for as long as they may, with how much memory.
var crowds = []string{
	`{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}`,
	`{{ $x := repeat 100000000 "x" }}{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}{{ len $x }}`,
}

// crowd has applications of several projects rendered again and again, each time from another commit, until ctx ends.
func (s *soak) crowd(ctx context.Context, t *testing.T, projects, apps int) *sync.WaitGroup {
	t.Helper()
	var all sync.WaitGroup
	for i := range projects * apps {
		all.Go(func() {
			for commit := 0; ctx.Err() == nil; commit++ {
				files := chartOf(fmt.Sprintf("%s # %d", crowds[i%len(crowds)], commit))
				_, _, err := s.render(ctx, fmt.Sprint("bad", i%projects), fmt.Sprint("app", i), servetest.Archive(t, files))
				if err == nil {
					t.Error("what has no end was rendered")
				}
			}
		})
	}
	return &all
}

// TestManyHostileProjectsKeepNobodyWaiting has more projects than places render what has no end.
func TestManyHostileProjectsKeepNobodyWaiting(t *testing.T) {
	for _, row := range []struct{ projects, apps int }{{2, 6}, {5, 3}} {
		t.Run(fmt.Sprintf("%d projects", row.projects), func(t *testing.T) {
			s := soakFor(t, "--parallelism", "2")
			ctx, end := context.WithCancel(t.Context())
			bad := s.crowd(ctx, t, row.projects, row.apps)
			var waits []time.Duration
			for i, begun := 0, time.Now(); time.Since(begun) < 12*time.Second; i++ {
				files := chartOf(fmt.Sprintf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: c%d}\n", i))
				took, _, err := s.render(t.Context(), fmt.Sprint("good", i%7), fmt.Sprint("web", i%20), servetest.Archive(t, files))
				if err != nil {
					t.Errorf("call %d: %v", i, err)
				}
				waits = append(waits, took)
			}
			end()
			bad.Wait()
			slices.Sort(waits)
			t.Logf("%d calls, half within %s, 99 of 100 within %s, all within %s", len(waits),
				waits[len(waits)/2], p99(waits), waits[len(waits)-1])
			if err := s.stop(); err != nil {
				t.Errorf("it stopped with %v", err)
			}
		})
	}
}
