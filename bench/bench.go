package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rollstamp/rollstamp/internal/stock"
)

// bench is one run of the benchmark.
type bench struct {
	ours, helm, kustomize, kio, self string // programs
	before                           string // an older binary of ours to compare with; "" compares with the stock tools
	dir                              string // for inputs and outputs
	quick                            bool
	cached                           int    // applications of the group cache
	streams, charts, overlays        string // globs
	startRatio                       float64
	table                            *table
}

// build makes all the programs, ours as a release is built, and says what is measured on what.
func (b *bench) build(ctx context.Context) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.helm, err = stock.BuildHelm(); err != nil {
		return err
	}
	if b.kustomize, err = stock.BuildKustomize(); err != nil {
		return err
	}
	if b.ours, err = b.goBuild(ctx, "./cmd/rollstamp"); err != nil {
		return err
	}
	if b.kio, err = b.goBuild(ctx, "./bench/kio"); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, b.ours, "version").Output()
	if err != nil {
		return fmt.Errorf("run %s version: %w", b.ours, err)
	}
	fmt.Fprintf(os.Stderr, "%sprocessors %d\n\n", version, runtime.NumCPU())
	return nil
}

func (b *bench) goBuild(ctx context.Context, pkg string) (string, error) {
	bin := filepath.Join(b.dir, filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, pkg)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return bin, nil
}

func (b *bench) path(parts ...string) string { return filepath.Join(b.dir, filepath.Join(parts...)) }

// runs returns how often to measure.
func (b *bench) runs(n int) int {
	if b.quick {
		return 1
	}
	return n
}

// work is a row: two sides, the check of their outputs, and what is claimed.
type work struct {
	name, against string
	runs          int
	theirs, ours  side
	check         func(context.Context) (string, error)
	claims        []claim
	sampled       int   // theirs is one of so many that do the whole work, and counts so many times; 0 is 1
	warm          bool  // the check runs both sides, and no run of them is dropped
	idle          *pair // what both sides cost when they do nothing; then the CPU time beyond that is reported, too
}

// do checks and measures a row and prints it. It returns the pair, or nothing where the row does not count.
func (b *bench) do(ctx context.Context, w work) (pair, error) {
	if b.before != "" {
		var found bool
		if w, found = b.sinceBefore(w); !found {
			return pair{}, nil
		}
	}
	checked, err := w.check(ctx)
	if err == nil {
		var p pair
		if p, err = w.measure(ctx, b.runs(w.runs)); err == nil {
			p = p.sampled(w.sampled)
			if b.quick { // the goals are for larger inputs and more runs
				for i := range w.claims {
					w.claims[i].goal.reach = 0
				}
			}
			b.table.result(w.name, w.against, p, w.claims, checked)
			if w.idle != nil {
				b.table.result(w.name, w.against, p.beyond(*w.idle),
					[]claim{{what: "beyond start-up", figure: cpu, unit: "ms", goal: goal{times: true}}}, checked)
			}
			return p, nil
		}
	}
	if ctx.Err() != nil {
		return pair{}, ctx.Err()
	}
	b.table.fail(w.name, w.against, err)
	return pair{}, nil
}

// measure runs both sides of a row n times.
func (w work) measure(ctx context.Context, n int) (pair, error) {
	if w.warm {
		return inTurn(ctx, n, w.theirs, w.ours)
	}
	return measure(ctx, n, w.theirs, w.ours)
}

// cpuClaim is what most rows claim.
func cpuClaim(g goal) claim { return claim{figure: cpu, unit: "ms", goal: g} }

func memoryClaim(g goal) claim { return claim{what: "peak memory", figure: peak, unit: "MiB", goal: g} }

// sameRender checks that ours renders what theirs does, byte for byte, and adds nothing but stamps.
func (b *bench) sameRender(theirs command, ours command) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		theirs.stdout, ours.stdout = b.path("theirs.yaml"), b.path("stamped.yaml")
		bare := ours
		bare.argv, bare.stdout = append(bare.argv[:len(bare.argv):len(bare.argv)], "--no-stamp"), b.path("bare.yaml")
		if _, err := (side{theirs, bare, ours}).run(ctx); err != nil {
			return "", err
		}
		if err := equalFiles(theirs.stdout, bare.stdout); err != nil {
			return "", err
		}
		n, err := b.lessStamps(ctx, theirs.stdout, ours.stdout)
		return fmt.Sprintf("equal bytes; %d stamps", n), err
	}
}

// lessStamps checks that a stamped file is the bare one once its stamps are taken out, and counts them.
func (b *bench) lessStamps(ctx context.Context, bare, stamped string) (int, error) {
	out := command{argv: []string{b.ours, "unstamp", "--allow-empty", stamped}, stdout: b.path("unstamped.yaml")}
	if _, err := out.run(ctx); err != nil {
		return 0, err
	}
	if err := equalFiles(bare, out.stdout); err != nil {
		return 0, err
	}
	return countStamps(stamped)
}

// comparison is how the process that compares objects says what it found.
const comparison = "%d objects, %d differ"

// compare counts the objects of two files, and how many of them differ.
func (b *bench) compare(ctx context.Context, x, y string) (objects, differ int, err error) {
	return b.compareAs(ctx, "compare", x, y)
}

func (b *bench) compareAs(ctx context.Context, how, x, y string) (objects, differ int, err error) {
	said, err := b.ask(ctx, how, x, y)
	if err == nil {
		_, err = fmt.Sscanf(said, comparison, &objects, &differ)
	}
	return objects, differ, err
}

// ask runs the benchmark itself for something that needs much memory, and returns what it says.
func (b *bench) ask(ctx context.Context, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, b.self, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", args[0], err, firstLine(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
