//go:build !linux

package rootfs

import (
	"context"
	"errors"
	"io"
)

// Inside is the first argument of a process that only Linux has.
const Inside = "inside-namespaces"

var errLinux = errors.New("images run on Linux only")

// Run reports that there are no namespaces here.
func Run(context.Context, Spec, io.Reader, io.Writer, io.Writer) error { return errLinux }

// Enter reports that there are no namespaces here.
func Enter() error { return errLinux }
