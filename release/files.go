package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/release/dist"
)

// runFiles prints the paths of the files that are uploaded, one on a line.
func runFiles(_ context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	if err := w.parse(flags, args); err != nil {
		return err
	}
	names, err := dist.Names(w.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Println(filepath.Join(w.out, name))
	}
	return nil
}
