package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/registry"
	"github.com/rollstamp/rollstamp/release/rootfs"
)

// runRun runs the image as a cluster would, without a container runtime.
func runRun(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	from := flags.String("from", "", "pull the image from REGISTRY/NAME:TAG; empty: the one that make image wrote")
	entrypoint := flags.String("entrypoint", "", "the program to run instead of the image's")
	network := flags.Bool("network", false, "let it use the machine's network")
	var mounts []rootfs.Mount
	var env []string
	flags.Func("mount", "FROM:TO or FROM:TO:rw, a file or folder of this machine", func(text string) error {
		parts := strings.Split(text, ":")
		if len(parts) < 2 || len(parts) > 3 || !strings.HasPrefix(parts[1], "/") {
			return errors.New("want FROM:/TO or FROM:/TO:rw")
		}
		from, err := filepath.Abs(parts[0])
		mounts = append(mounts, rootfs.Mount{From: from, To: parts[1], Writable: len(parts) == 3 && parts[2] == "rw"})
		return err
	})
	flags.Func("tmpfs", "a folder of the image that is to be empty and writable", func(to string) error {
		mounts = append(mounts, rootfs.Mount{To: "/" + strings.Trim(to, "/")})
		return nil
	})
	flags.Func("env", "NAME=VALUE", func(text string) error {
		env = append(env, text)
		return nil
	})
	if err := w.parse(flags, args); err != nil {
		return err
	}
	img, err := findImage(ctx, w.layout(), *from)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rollstamp-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := rootfs.Unpack(img, dir); err != nil {
		return err
	}
	spec, err := rootfs.NewSpec(img, dir, *entrypoint, flags.Args())
	if err != nil {
		return err
	}
	spec.Env, spec.Mounts, spec.Network = append(spec.Env, env...), mounts, *network
	err = rootfs.Run(ctx, spec, os.Stdin, os.Stdout, os.Stderr)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Exited() {
		return exitCode(ended.ExitCode())
	}
	return err
}

// exitCode is how the program in the image ended, which has reported why itself.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func findImage(ctx context.Context, layout, from string) (v1.Image, error) {
	platform := programs.Platform{OS: "linux", Arch: runtime.GOARCH}
	if from != "" {
		index, err := registry.Pull(ctx, from)
		if err != nil {
			return nil, err
		}
		return image.ForPlatform(index, platform)
	}
	images, err := image.ReadLayout(layout)
	if err != nil {
		return nil, err
	}
	return image.ForPlatform(images[0].Index, platform)
}
