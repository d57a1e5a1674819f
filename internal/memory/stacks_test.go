package memory_test

import (
	"context"
	"testing"

	"github.com/rollstamp/rollstamp/internal/memory"
)

func TestAStackThatGrowsIsNoticedBeforeItOverflows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = descend(ctx, 0) }()
	if !memory.AwaitStacks(ctx, 8<<20) {
		t.Error("nobody noticed")
	}
}

// descend calls itself until ctx ends.
func descend(ctx context.Context, n int) int {
	if ctx.Err() != nil || n > 1<<18 {
		<-ctx.Done()
		return n
	}
	return descend(ctx, n+1) + 1
}

func TestNobodyWaitsForStacksAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if memory.AwaitStacks(ctx, 1<<50) {
		t.Error("a stack has a petabyte")
	}
}
