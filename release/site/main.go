// Site writes the documentation as web pages with a search, which need no server.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	source := flag.String("source", "../..", "the checkout with the pages")
	out := flag.String("out", "../../dist/site", "the folder to write")
	flag.Parse()
	if err := build(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(*out)
}
