package main

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// pair is two sides that were run in turn, and what each run cost.
type pair struct {
	theirs, ours []usage
}

// measure runs the sides in turn, once to warm up and then n times.
func measure(ctx context.Context, n int, theirs, ours side) (pair, error) {
	if _, err := inTurn(ctx, 1, theirs, ours); err != nil {
		return pair{}, err
	}
	return inTurn(ctx, n, theirs, ours)
}

// inTurn runs the sides in turn n times.
func inTurn(ctx context.Context, n int, theirs, ours side) (pair, error) {
	var p pair
	for range n {
		a, err := theirs.run(ctx)
		if err != nil {
			return p, err
		}
		b, err := ours.run(ctx)
		if err != nil {
			return p, err
		}
		p.theirs, p.ours = append(p.theirs, a), append(p.ours, b)
	}
	return p, nil
}

// A figure is one number of a run, in a unit of its own.
type figure func(usage) float64

func cpu(u usage) float64  { return float64(u.cpu) / float64(time.Millisecond) }
func wall(u usage) float64 { return float64(u.wall) / float64(time.Millisecond) }
func peak(u usage) float64 { return float64(u.peak) / (1 << 20) }

// medians returns the median of each side, and of the quotients of ours and theirs, run by run: neighbours in time
// share the noise of the machine.
func (p pair) medians(f figure) (theirs, ours, quotient float64) {
	var a, b, q []float64
	for i := range p.ours {
		x, y := f(p.theirs[i]), f(p.ours[i])
		a, b, q = append(a, x), append(b, y), append(q, y/x)
	}
	return median(a), median(b), median(q)
}

// sampled returns the pair with the time of theirs taken n times.
func (p pair) sampled(n int) pair {
	if n < 2 {
		return p
	}
	out := pair{ours: p.ours}
	for _, u := range p.theirs {
		out.theirs = append(out.theirs,
			usage{cpu: u.cpu * time.Duration(n), wall: u.wall * time.Duration(n), peak: u.peak})
	}
	return out
}

// beyond returns the CPU time of each side less what that side costs when it does nothing.
func (p pair) beyond(idle pair) pair {
	less := func(side, idle []usage) (rest []usage) {
		var starts []time.Duration
		for _, u := range idle {
			starts = append(starts, u.cpu)
		}
		for _, u := range side {
			rest = append(rest, usage{cpu: u.cpu - median(starts)})
		}
		return rest
	}
	return pair{less(p.theirs, idle.theirs), less(p.ours, idle.ours)}
}

func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
