// Command rollstamp writes digests of the configuration that workloads consume into their pod templates.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/rollstamp/rollstamp/config"
	_ "github.com/rollstamp/rollstamp/internal/gc" // sets the collector's pace before the engines' tables are built
)

func main() { start(0) }

// start runs the program, which may use that many bytes of memory; 0 is what its container or the machine has.
func start(limit int64) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log.SetFlags(0)
	log.SetOutput(libraryLog{os.Stderr})
	std := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, host: hostOf(os.Args[0]), memory: limit}
	code := run(ctx, os.Args[1:], config.Environment(), std)
	stop()
	os.Exit(int(code))
}
