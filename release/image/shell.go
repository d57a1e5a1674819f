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

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/sbom"
	"github.com/rollstamp/rollstamp/release/source"
)

// Shell is a static busybox, for hosts that start commands of their own in an image, as GitLab does.
type Shell struct {
	sbom.Debian
	Path   string // of the program
	Notice string // of its copyright
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
	out := filepath.Join(dir, "unpacked")
	if err := run(ctx, dir, "dpkg-deb", "-x", archive, out); err != nil {
		return nil, err
	}
	fields, err := controlFields(ctx, archive)
	if err != nil {
		return nil, err
	}
	shell := &Shell{
		Path:   filepath.Join(out, "usr", "bin", "busybox"),
		Notice: filepath.Join(out, "usr", "share", "doc", "busybox-static", "copyright"),
	}
	if _, err := os.Stat(shell.Path); err != nil { // releases of Debian before 13 have it elsewhere
		shell.Path = filepath.Join(out, "bin", "busybox")
	}
	shell.Debian, err = debianPackage(fields)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", archive, err)
	}
	shell.SHA256, _, err = dist.Sum(shell.Path)
	return shell, err
}

// controlFields returns what a package of Debian's says of itself.
func controlFields(ctx context.Context, archive string) (map[string]string, error) {
	fields := map[string]string{}
	for _, name := range []string{"Package", "Version", "Architecture", "Source", "Built-Using", "Static-Built-Using"} {
		value, err := exec.CommandContext(ctx, "dpkg-deb", "-f", archive, name).Output()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", archive, err)
		}
		fields[name] = string(bytes.TrimSpace(value))
	}
	return fields, nil
}

// debianPackage reads the fields of busybox-static. It is linked with glibc, which it names as what it is built using.
func debianPackage(fields map[string]string) (sbom.Debian, error) {
	p := sbom.Debian{
		Name: fields["Package"], Version: fields["Version"], Arch: fields["Architecture"], License: "GPL-2.0-only",
		Source: sbom.DebianSource{Name: fields["Package"], Version: fields["Version"]},
	}
	if name, rest, _ := strings.Cut(fields["Source"], " "); name != "" {
		p.Source.Name = name
		if version := strings.Trim(rest, "() "); version != "" {
			p.Source.Version = version
		}
	}
	for item := range strings.SplitSeq(fields["Built-Using"]+","+fields["Static-Built-Using"], ",") {
		name, version, ok := strings.Cut(strings.TrimSpace(item), " (= ")
		if ok && name == "glibc" {
			version = strings.TrimSuffix(version, ")")
			p.Linked = []sbom.DebianSource{{Name: name, Version: version, License: "LGPL-2.1-or-later"}}
		}
	}
	if len(p.Linked) == 0 {
		return p, errors.New("it does not say with which glibc it is linked, whose license requires that")
	}
	return p, nil
}

// shellLicenses are those of the image with a shell, as SPDX writes them: rollstamp's, busybox's and glibc's.
const shellLicenses = "Apache-2.0 AND GPL-2.0-only AND LGPL-2.1-or-later"

// commonLicenses is where Debian has the texts of licenses to which the packages refer.
const commonLicenses = "/usr/share/common-licenses"

func (s *Shell) layer(tree source.Tree) (v1.Layer, error) {
	var packages bytes.Buffer
	if err := sbom.WriteDebian(&packages, tree, s.Debian); err != nil {
		return nil, err
	}
	const doc = "usr/share/doc/busybox-static/"
	entries := []entry{
		{name: "bin/busybox", mode: 0o755, from: s.Path},
		{name: doc + "copyright", mode: 0o644, from: s.Notice},
		{name: doc + "SOURCE", mode: 0o644, content: []byte(s.sourceOffer())},
		{name: doc + "busybox.spdx.json", mode: 0o644, content: packages.Bytes()},
	}
	for _, name := range []string{"GPL-2", "LGPL-2.1"} {
		path := filepath.Join(commonLicenses, name)
		entries = append(entries, entry{name: strings.TrimPrefix(path, "/"), mode: 0o644, from: path})
	}
	for _, a := range applets {
		entries = append(entries, entry{name: "bin/" + a, mode: 0o777, link: "busybox"})
	}
	return layer(tree.Date, entries)
}

// sourceOffer is the written offer that section 3b of the GPL asks for, with where the source can be had at once.
func (s *Shell) sourceOffer() string {
	var text strings.Builder
	fmt.Fprintf(&text, `/bin/busybox is Debian's package %s %s, unchanged. It is under the GNU General
Public License, version 2, and linked with the GNU C library, which is under the GNU Lesser General Public License,
version 2.1 or later: /usr/share/common-licenses/GPL-2 and LGPL-2.1. Their complete source is at

`, s.Name, s.Version)
	for _, source := range append([]sbom.DebianSource{s.Source}, s.Linked...) {
		fmt.Fprintf(&text, "    %s %s: %s\n", source.Name, source.Version, source.Address())
	}
	fmt.Fprintf(&text, `
and for three years from the day on which you got this image, the authors of rollstamp send a machine-readable copy of
that source to anybody who asks, for no more than what sending it costs: %s/issues
`, dist.Repository)
	return text.String()
}

func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, bytes.TrimSpace(out))
	}
	return nil
}
