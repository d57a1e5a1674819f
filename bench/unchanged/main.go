// Command unchanged holds two binaries of rollstamp against each other: what they print of the same inputs must be the
// same bytes. It is for changes that are to move nothing: build the binary from before, change the code, and let it
// look.
//
// Inputs are all charts, kustomizations and folders of manifests below the folders that are named, and the streams that
// they render to, each with a changed copy to compare with. Messages and hints of findings may change their words: they
// are left out of JSON, and so is standard error. An output that the older binary itself does not repeat is counted and
// not compared.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "unchanged:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("unchanged", flag.ContinueOnError)
	before := f.String("before", "", "binary from before the change")
	after := f.String("after", "bin/rollstamp", "binary from after it")
	trees := f.String("trees", "testdata,examples", "folders with inputs, with commas")
	only := f.String("only", "", "regular expression of the inputs to look at, by their path")
	jobs := f.Int("jobs", 2, "how many inputs are looked at side by side")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *before == "" {
		return fmt.Errorf("-before names the binary to compare with")
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	pair := pair{}
	if pair.before, err = filepath.Abs(*before); err == nil {
		pair.after, err = filepath.Abs(*after)
	}
	if err != nil {
		return err
	}
	inputs, err := find(*trees, pattern)
	if err != nil {
		return err
	}
	sum := compareAll(ctx, pair, inputs, *jobs)
	fmt.Printf("%d inputs, %d outputs compared, %d not repeatable, %d differ\n", len(inputs), sum.compared.Load(),
		sum.random.Load(), sum.differ.Load())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case sum.compared.Load() == 0:
		return fmt.Errorf("nothing was compared")
	case sum.differ.Load() > 0:
		return fmt.Errorf("%d outputs differ", sum.differ.Load())
	}
	return nil
}

// tally counts what came of the comparisons.
type tally struct{ compared, random, differ atomic.Int64 }

// compareAll looks at the inputs, some side by side.
func compareAll(ctx context.Context, p pair, inputs []input, jobs int) *tally {
	sum := &tally{}
	next := make(chan input)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for in := range next {
				if err := in.compare(ctx, p, sum); err != nil && ctx.Err() == nil {
					sum.differ.Add(1)
					fmt.Printf("%s: %v\n", in.path, err)
				}
			}
		})
	}
	for _, in := range inputs {
		if ctx.Err() != nil {
			break
		}
		next <- in
	}
	close(next)
	workers.Wait()
	return sum
}
