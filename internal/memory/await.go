package memory

import (
	"context"
	"time"
)

// AwaitLimit returns how much memory the process uses once it is about to use more than limit: twice in a row EndAt,
// or the limit itself. It reports false where ctx ended before that.
func AwaitLimit(ctx context.Context, limit int64) (used int64, reached bool) {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	inForce.Store(limit)
	var pace collector
	var own processor
	for above := 0; ; {
		select {
		case <-ctx.Done():
			return 0, false
		case <-tick.C:
		}
		pace.share(limit)
		used := InUse()
		own.have(used, limit)
		if above++; used < EndAt(limit) {
			above = 0
		}
		if above > 1 || used >= limit {
			return used, true
		}
	}
}

// AwaitUse returns how much memory the process uses once that is so much.
func AwaitUse(bytes int64) (used int64) {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for used = InUse(); used < bytes; used = InUse() {
		<-tick.C
	}
	return used
}
