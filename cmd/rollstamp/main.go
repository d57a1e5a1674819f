// Command rollstamp writes digests of the configuration that workloads consume into their pod templates.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/rollstamp/rollstamp/config"
	_ "github.com/rollstamp/rollstamp/internal/gc" // sets the collector's pace before the engines' tables are built
	"github.com/rollstamp/rollstamp/internal/workers"
)

func main() {
	debug.SetTraceback("none") // a fault must not show what was at hand
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	logTo(os.Stderr)
	std := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, host: hostOf(os.Args[0]), isProcess: true}
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--"+supervisedFlag {
		std.err, args = workers.Inherit(errorsAt, "stderr"), args[1:]
		std.isSupervised = true
		logTo(std.err)
	}
	code := run(ctx, args, config.Environment(), std)
	stop()
	os.Exit(int(code))
}
