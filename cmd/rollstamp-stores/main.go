// Command rollstamp-stores asks stores for versions of secrets, and opens what is encrypted with SOPS. It is run by rollstamp, and by nobody else.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// release is the version of a build that cannot see version control; the linker sets it: -X main.release=v1.2.3.
var release string

func main() {
	debug.SetTraceback("none") // a fault must not show what was at hand
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(int(code))
}

const usage = "%s asks stores for versions of secrets, and opens what is encrypted with SOPS. rollstamp runs it; it is of no use to anybody else.\n"

// run is the program without its process.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) (code diag.Exit) {
	service := serve
	switch {
	case len(args) == 1 && args[0] == remote.OpenArgument:
		service = serveOpening
	case len(args) > 0:
		fmt.Fprintf(errs, usage, remote.Name)
		return diag.ExitUsage
	}
	if err := service(ctx, in, out); err != nil {
		fmt.Fprintf(errs, "%s: %v\n", remote.Name, err)
		return max(diag.ExitOf(err), diag.ExitFindings)
	}
	return diag.ExitOK
}

func serve(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	defer fault.Catch(&err)
	silence()
	return remote.Serve(ctx, in, out, config.Release(release), open)
}
