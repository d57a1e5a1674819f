// Command rollstamp-helm4 renders charts with Helm 4. It is run by rollstamp, and by nobody else.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render/helm"
)

// release is set by the linker for releases.
var release string

const usage = "rollstamp-helm4 renders charts with Helm 4. rollstamp runs it; it is of no use to anybody else."

func main() {
	debug.SetTraceback("none") // a fault must not show what was at hand
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
	if len(os.Args) != 2 || os.Args[1] != helm.WorkerArgument {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err := workers.Serve(context.Background(), os.Stdin, os.Stdout, begin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// begin holds the release of the program that starts us against ours: what passes between the two differs from one
// to the next.
func begin(first []byte) (workers.Handler, error) {
	if err := helm.Refusal(string(first), release); err != nil {
		return nil, err
	}
	return func(_ context.Context, request []byte, _ workers.Host) ([]byte, error) {
		return helm.Answer(request, helm4{})
	}, nil
}
