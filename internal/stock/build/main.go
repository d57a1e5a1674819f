// Command build builds the real helm and kustomize that tests need, however long that takes: on a slow machine longer
// than the go tool lets a test run.
package main

import (
	"fmt"
	"os"

	"github.com/rollstamp/rollstamp/internal/stock"
)

func main() {
	for _, build := range []func() (string, error){stock.BuildHelm, stock.BuildKustomize} {
		path, err := build()
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Fprintln(os.Stdout, path)
	}
}
