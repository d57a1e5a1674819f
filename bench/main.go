// Command bench runs rollstamp and the stock tools side by side on the same inputs and prints ratios of what they cost,
// as a table in Markdown. A ratio counts only where the outputs were found equal in the same run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is the benchmark, or, with one of three words first, a process that it starts for what needs much memory.
func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "compare":
		return printComparison(args[1], args[2], compareObjects)
	case len(args) == 3 && args[0] == "sets":
		return printComparison(args[1], args[2], compareSets)
	case len(args) == 2 && args[0] == "readers":
		return printReaders(args[1])
	}
	b := bench{table: &table{w: os.Stdout}}
	var only string
	var grows time.Duration
	var hold bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&b.quick, "quick", false, "few runs of small inputs: do the programs work, are the outputs equal?")
	f.StringVar(&only, "only", "",
		"regular expression of the groups to run: start, charts, post, hosts, stamp, secrets, streams, many, kustomize, "+
			"diff, changes, apps, policies, flux, cores, cache")
	f.IntVar(&b.cached, "cached", 1000, "applications of the group cache")
	f.StringVar(&b.streams, "streams", "", "globs, with commas, of files with rendered manifests to stamp")
	f.StringVar(&b.charts, "charts", "", "globs of charts to render")
	f.StringVar(&b.overlays, "kustomizations", "", "globs of kustomizations to render")
	f.StringVar(&b.before, "before", "",
		"an older binary of rollstamp: compare this one with it instead of with the stock tools")
	f.DurationVar(&grows, "growth", 0,
		"how costs grow with the input, up to what takes so long, such as 10s; nothing else is measured then, and -only "+
			"selects rows by what grows")
	f.BoolVar(&hold, "hold", false, "write what start-up costs now to "+ratchetFile)
	if err := f.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if b.before != "" {
		if b.before, err = filepath.Abs(b.before); err != nil {
			return err
		}
	}
	if b.dir, err = os.MkdirTemp("", "rollstamp-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.build(ctx); err != nil {
		return err
	}
	if b.before != "" {
		if err := b.copyBoth(); err != nil {
			return err
		}
	}
	if grows > 0 {
		return b.growth(ctx, pattern, grows)
	}
	return b.measure(ctx, pattern, hold)
}

// measure prints the rows of the groups whose names fit a pattern.
func (b *bench) measure(ctx context.Context, pattern *regexp.Regexp, hold bool) error {
	b.table.head()
	if err := b.runGroups(ctx, pattern); err != nil {
		return err
	}
	if b.before == "" {
		if err := b.ratchet(ctx, hold); err != nil {
			return err
		}
	}
	if b.table.failed > 0 {
		return fmt.Errorf("%d rows could not be counted", b.table.failed)
	}
	return nil
}

// runGroups runs the groups whose names fit a pattern.
func (b *bench) runGroups(ctx context.Context, pattern *regexp.Regexp) error {
	for _, g := range groups {
		if pattern.MatchString(g.name) {
			if err := g.run(b, ctx); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
		}
	}
	return nil
}

// groups are the rows in their order. Each group writes its inputs and measures.
var groups = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"start", (*bench).start},
	{"charts", (*bench).syntheticCharts},
	{"charts", (*bench).realCharts},
	{"post", (*bench).postRender},
	{"hosts", (*bench).hosts},
	{"stamp", (*bench).stampSynthetic},
	{"secrets", (*bench).secrets},
	{"streams", (*bench).stampStreams},
	{"many", (*bench).manyCharts},
	{"kustomize", (*bench).syntheticKustomizations},
	{"kustomize", (*bench).realKustomizations},
	{"diff", (*bench).diffs},
	{"changes", (*bench).manyChanges},
	{"apps", (*bench).applications},
	{"policies", (*bench).policies},
	{"flux", (*bench).flux},
	{"cores", (*bench).twoCores},
	{"cache", (*bench).cache},
}
