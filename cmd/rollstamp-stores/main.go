// Command rollstamp-stores asks stores for versions of secrets, decrypts what is encrypted with SOPS, and asks docker's
// credential helpers. It is run by rollstamp, and by nobody else.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/sources/remote"
)

func main() {
	debug.SetTraceback("none") // a fault must not show what was at hand
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], watchInput(os.Stdin, stop), os.Stdout, os.Stderr)
	stop()
	os.Exit(int(code))
}

// watchInput returns what comes in, and calls gone when nothing can come any more. Whoever runs us holds our standard
// input open for as long as an answer is wanted, so that nobody is asked for a caller that has been killed. What hears
// nothing is ended.
func watchInput(in io.Reader, gone func()) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
		gone()
		time.AfterFunc(toEnd, func() { os.Exit(int(diag.ExitInternal)) })
	}()
	return r
}

// toEnd is how long what still runs may take when there is nobody to run for.
const toEnd = time.Second

const usage = "%s asks stores for versions of secrets, decrypts what is encrypted with SOPS, and asks docker's credential helpers. " +
	"rollstamp runs it; it is of no use to anybody else.\n"

// run is the program without its process.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) (code diag.Exit) {
	service := serve
	switch {
	case len(args) == 1 && args[0] == remote.OpenArgument:
		service = serveDecrypting
	case len(args) == 1 && args[0] == remote.LoginArgument:
		service = serveLogin
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
