package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Shell is a static busybox, for hosts that start commands of their own in an image, as GitLab does.
type Shell struct {
	Version string // of Debian's package
	Path    string // of the program
	Notice  string // of its copyright
}

// ErrNoShell reports that this machine has no way to get a shell: it is no Debian.
var ErrNoShell = errors.New("no apt-get and dpkg-deb here, which fetch Debian's busybox-static")

// applets are the names under which the shell finds busybox: what scripts of CI jobs call.
var applets = strings.Fields(`[ ash awk base64 basename cat chmod clear cmp comm cp cut date dd df diff dirname du echo
	egrep env expr false fgrep find fold getopt grep gunzip gzip head hostname id install less ln ls md5sum mkdir mktemp
	more mv nl nproc od paste printenv printf ps pwd readlink realpath rm rmdir sed seq sh sha256sum sha512sum sleep sort
	split stat strings tac tail tar tee test time timeout touch tr true truncate tty uname uniq unxz unzip vi watch wc
	wget which whoami xargs xzcat yes zcat`)

// FetchShell downloads Debian's busybox-static for an architecture into a folder, by apt, which checks its signature.
func FetchShell(ctx context.Context, arch, dir string) (*Shell, error) {
	for _, program := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, ErrNoShell
		}
	}
	dir, err := filepath.Abs(filepath.Join(dir, "busybox-"+arch))
	if err != nil {
		return nil, err
	}
	// Lists and cache of its own: neither the rights nor the architecture of the machine matter.
	state := filepath.Join(dir, "apt")
	for _, d := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(state, d), 0o755); err != nil {
			return nil, err
		}
	}
	apt := func(args ...string) error {
		return run(ctx, dir, "apt-get", append([]string{"-qq", "-o", "APT::Architecture=" + arch,
			"-o", "APT::Architectures=" + arch, "-o", "Dir::State=" + state, "-o", "Dir::State::status=/dev/null",
			"-o", "Dir::Cache=" + state, "-o", "APT::Sandbox::User="}, args...)...)
	}
	if err := apt("update"); err != nil {
		return nil, err
	}
	if err := apt("download", "busybox-static"); err != nil {
		return nil, err
	}
	packages, err := filepath.Glob(filepath.Join(dir, "busybox-static_*.deb"))
	if err != nil || len(packages) == 0 {
		return nil, fmt.Errorf("apt-get download left no package in %s", dir)
	}
	return unpackShell(ctx, packages[len(packages)-1], dir)
}

func unpackShell(ctx context.Context, archive, dir string) (*Shell, error) {
	version, err := exec.CommandContext(ctx, "dpkg-deb", "-f", archive, "Version").Output()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", archive, err)
	}
	out := filepath.Join(dir, "unpacked")
	if err := run(ctx, dir, "dpkg-deb", "-x", archive, out); err != nil {
		return nil, err
	}
	shell := &Shell{
		Version: string(bytes.TrimSpace(version)),
		Path:    filepath.Join(out, "usr", "bin", "busybox"),
		Notice:  filepath.Join(out, "usr", "share", "doc", "busybox-static", "copyright"),
	}
	if _, err := os.Stat(shell.Path); err != nil { // releases of Debian before 13 have it elsewhere
		shell.Path = filepath.Join(out, "bin", "busybox")
	}
	_, err = os.Stat(shell.Path)
	return shell, err
}

func (s *Shell) layer(date time.Time) (v1.Layer, error) {
	entries := []entry{
		{name: "bin/busybox", mode: 0o755, from: s.Path},
		{name: "usr/share/doc/busybox-static/copyright", mode: 0o644, from: s.Notice},
	}
	for _, a := range applets {
		entries = append(entries, entry{name: "bin/" + a, mode: 0o777, link: "busybox"})
	}
	return layer(date, entries)
}

func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, bytes.TrimSpace(out))
	}
	return nil
}
