// Release makes what is published of rollstamp: the container image, the archives, and what proves them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/rollstamp/rollstamp/release/rootfs"
)

// command is one thing to do. Its flags are defined by the function that runs it.
type command struct {
	name, args, short string
	run               func(ctx context.Context, flags *flag.FlagSet, args []string) error
}

var commands = []command{
	{"ready", "", "report whether the commit can be released as a version, and print the notes", runReady},
	{"build", "", "build all files of a release, without uploading anything", runBuild},
	{"reproduce", "", "build a release again, elsewhere, and compare", runReproduce},
	{"files", "", "list the files of a release that are uploaded", runFiles},
	{"sign", "", "sign the sums of a release", runSign},
	{"verify", "", "verify the files of a release by their sums and the signature", runVerify},
	{"verify-image", "IMAGE", "verify an image in a registry by its signature", runVerifyImage},
	{"vuln", "", "look for known vulnerabilities in what is linked", runVuln},
	{"image", "", "build the container image as an OCI layout", runImage},
	{"load", "[NAME:TAG]", "load the image into docker", runLoad},
	{"run", "[-- ARG...]", "run the image without a container runtime: read-only, as its user", runRun},
	{"push", "REGISTRY/NAME", "push the image to a registry", runPush},
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == rootfs.Inside {
		fmt.Fprintln(os.Stderr, "error:", rootfs.Enter())
		os.Exit(125)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		stop()
		var code exitCode
		if errors.As(err, &code) {
			os.Exit(int(code))
		}
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	for _, c := range commands {
		if len(args) == 0 || args[0] != c.name {
			continue
		}
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		flags.Usage = func() {
			fmt.Fprintf(flags.Output(), "release %s [flags] %s: %s\n", c.name, c.args, c.short)
			flags.PrintDefaults()
		}
		err := c.run(ctx, flags, args[1:])
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	fmt.Fprintln(os.Stderr, "release makes what is published of rollstamp. Commands:")
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", c.name, c.short)
	}
	return errors.New("no such command")
}
