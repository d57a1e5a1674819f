package image_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	spdx "github.com/spdx/tools-golang/json"

	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/source"
)

var amd64, arm64 = image.Platforms[0], image.Platforms[1]

func tree(version string) source.Tree {
	return source.Tree{Version: version, Revision: strings.Repeat("a", 40), Date: time.Unix(1800000000, 0).UTC()}
}

// content returns what goes into an image, with small files instead of programs, in a folder of their own.
func content(t *testing.T, p programs.Platform) image.Content {
	t.Helper()
	dir := t.TempDir()
	c := image.Content{Platform: p, Texts: map[string]string{"LICENSE": filepath.Join(dir, "LICENSE")}}
	for _, name := range append([]string{"LICENSE"}, programs.Names...) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name+" for "+p.String()), 0o777); err != nil {
			t.Fatal(err)
		}
		if name != "LICENSE" {
			c.Programs = append(c.Programs, programs.Program{Name: name, Platform: p, Path: path})
		}
	}
	return c
}

func index(t *testing.T, tree source.Tree, contents ...image.Content) v1.ImageIndex {
	t.Helper()
	index, err := image.Index(tree, contents)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	return index
}

func digest(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	d, err := of.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// list returns the files of an image as "type mode owner name [link]", and the content of each.
func list(t *testing.T, img v1.Image) (lines []string, files map[string]string) {
	t.Helper()
	r := mutate.Extract(img)
	defer r.Close()
	files = map[string]string{}
	tape := tar.NewReader(r)
	for {
		h, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return lines, files
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%c %04o %d:%d %s %s",
			h.Typeflag, h.Mode, h.Uid, h.Gid, h.Name, h.Linkname)))
		text, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}

func forPlatform(t *testing.T, index v1.ImageIndex, p programs.Platform) v1.Image {
	t.Helper()
	img, err := image.ForPlatform(index, p)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestTheImageHoldsTheProgramsAndNoShell(t *testing.T) {
	img := forPlatform(t, index(t, tree("1.0.0"), content(t, amd64), content(t, arm64)), arm64)
	lines, files := list(t, img)
	got := strings.Join(lines, "\n")
	for _, want := range []string{
		"0 0755 0:0 usr/local/bin/rollstamp", "0 0755 0:0 usr/local/bin/rollstamp-stores", "0 0755 0:0 usr/local/bin/rollstamp-helm4",
		"0 0644 0:0 etc/ssl/certs/ca-certificates.crt", "0 0644 0:0 usr/share/doc/rollstamp/LICENSE",
		"5 0755 999:999 home/rollstamp", "5 1777 0:0 tmp", "5 0755 0:0 work",
	} {
		if !strings.Contains(got+"\n", want+"\n") && !strings.Contains(got+"\n", want+"/\n") {
			t.Errorf("not in the image: %s\n%s", want, got)
		}
	}
	if strings.Contains(got, "bin/sh") || strings.Contains(got, "busybox") {
		t.Errorf("there is a shell:\n%s", got)
	}
	if files["usr/local/bin/rollstamp"] != "rollstamp for linux/arm64" {
		t.Errorf("the program is that of another platform: %q", files["usr/local/bin/rollstamp"])
	}
}

func TestTheImageRunsAsTheUserOfArgoCD(t *testing.T) {
	config, err := forPlatform(t, index(t, tree("1.0.0"), content(t, amd64)), amd64).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	got := fmt.Sprintf("%s %s %s %s %s", c.User, c.Entrypoint, c.Cmd, c.WorkingDir, c.Env)
	want := "999:999 [/usr/local/bin/rollstamp] [--help] /work [PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/rollstamp]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = c.Labels["org.opencontainers.image.created"]
	if got != "2027-01-15T08:00:00Z" || config.Created.Format(time.RFC3339) != got {
		t.Errorf("created: label %s, image %s", got, config.Created)
	}
	for label, want := range map[string]string{
		"version": "1.0.0", "revision": strings.Repeat("a", 40), "licenses": "Apache-2.0",
	} {
		if got := c.Labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("label %s: %q", label, got)
		}
	}
}

func TestTheImageKnowsTheUserThatHostsOfFunctionsStart(t *testing.T) {
	_, files := list(t, forPlatform(t, index(t, tree("1.0.0"), content(t, amd64)), amd64))
	for name, want := range map[string]string{
		"etc/passwd": "\nnobody:x:65534:65534:", "etc/group": "\nnobody:x:65534:",
	} {
		if !strings.Contains("\n"+files[name], want) || !strings.Contains("\n"+files[name], "\nrollstamp:x:999:") {
			t.Errorf("%s is %q", name, files[name])
		}
	}
}

func TestTheCertificatesAreRoots(t *testing.T) {
	_, files := list(t, forPlatform(t, index(t, tree("1.0.0"), content(t, amd64)), amd64))
	bundle := []byte(files["etc/ssl/certs/ca-certificates.crt"])
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bundle) {
		t.Fatal("no certificate can be read")
	}
	if n := bytes.Count(bundle, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("only %d certificates", n)
	}
	if bytes.Contains(bundle, []byte("Izenpe")) {
		t.Error("a root of which Mozilla takes only older certificates is trusted without that condition")
	}
}

func TestFilesOfAnotherFolderModeTimeAndUmaskMakeTheSameImage(t *testing.T) {
	one := digest(t, index(t, tree("1.0.0"), content(t, amd64), content(t, arm64)))
	defer syscall.Umask(syscall.Umask(0o077))
	t.Setenv("TZ", "Pacific/Kiritimati")
	contents := []image.Content{content(t, amd64), content(t, arm64)}
	for _, p := range contents[0].Programs {
		if err := errors.Join(os.Chmod(p.Path, 0o600), os.Chtimes(p.Path, time.Time{}, time.Unix(5, 0))); err != nil {
			t.Fatal(err)
		}
	}
	if two := digest(t, index(t, tree("1.0.0"), contents...)); one != two {
		t.Errorf("%s, and again %s", one, two)
	}
}

func TestTheCertificatesAreALayerThatReleasesShare(t *testing.T) {
	later := tree("1.0.1")
	later.Date = later.Date.Add(time.Hour)
	first := forPlatform(t, index(t, tree("1.0.0"), content(t, amd64)), amd64)
	second := forPlatform(t, index(t, later, content(t, arm64)), arm64)
	a, err := first.Layers()
	if err != nil {
		t.Fatal(err)
	}
	b, err := second.Layers()
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, a[0]) != digest(t, b[0]) || digest(t, a[1]) == digest(t, b[1]) {
		t.Errorf("layers %s %s, and of the next release %s %s",
			digest(t, a[0]), digest(t, a[1]), digest(t, b[0]), digest(t, b[1]))
	}
}

func TestALayoutIsReadAsItWasWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "image")
	if _, err := image.ReadLayout(dir); err == nil || !strings.Contains(err.Error(), "make image") {
		t.Errorf("no layout: %v", err)
	}
	want := index(t, tree("1.0.0"), content(t, amd64), content(t, arm64))
	for range 2 { // the second time it replaces the first
		if err := image.WriteLayout(dir, []image.Tagged{{Tag: "1.0.0", Index: want}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := image.ReadLayout(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Tag != "1.0.0" || digest(t, got[0].Index) != digest(t, want) {
		t.Errorf("%v", got)
	}
	if err := validate.Index(got[0].Index); err != nil {
		t.Error(err)
	}
}

func TestTheTarballLoads(t *testing.T) {
	all := index(t, tree("1.0.0"), content(t, amd64), content(t, arm64))
	var packed bytes.Buffer
	if err := image.WriteTarball(&packed, "registry.example/rollstamp:1.0.0", all, arm64); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag("registry.example/rollstamp:1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }
	img, err := tarball.Image(open, &tag)
	if err != nil {
		t.Fatal(err)
	}
	if _, files := list(t, img); files["usr/local/bin/rollstamp"] != "rollstamp for linux/arm64" {
		t.Errorf("the program in the tarball is %q", files["usr/local/bin/rollstamp"])
	}
	unknown := programs.Platform{OS: "linux", Arch: "riscv64"}
	if err := image.WriteTarball(io.Discard, "rollstamp", all, unknown); err == nil {
		t.Error("a platform that the image is not made for has an image")
	}
}

func TestAPackageThatCannotBeHadIsAnError(t *testing.T) {
	config := filepath.Join(t.TempDir(), "apt.conf")
	offline := "Acquire::http::Proxy \"http://127.0.0.1:1\";\nAcquire::https::Proxy \"http://127.0.0.1:1\";\n"
	if err := os.WriteFile(config, []byte(offline), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("APT_CONFIG", config)
	_, err := image.FetchShell(t.Context(), "amd64", t.TempDir())
	if errors.Is(err, image.ErrNoShell) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), "apt-get") {
		t.Errorf("%v", err)
	}
}

func TestTheImageWithAShellHasDebiansBusybox(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads a package of Debian")
	}
	shell, err := image.FetchShell(t.Context(), "arm64", t.TempDir())
	if errors.Is(err, image.ErrNoShell) {
		t.Skip(err)
	}
	if err != nil {
		t.Skipf("the package cannot be had here: %v", err)
	}
	c := content(t, arm64)
	c.Shell = shell
	img := forPlatform(t, index(t, tree("1.0.0"), c), arm64)
	lines, files := list(t, img)
	if !strings.Contains(strings.Join(lines, "\n"), "2 0777 0:0 bin/sh busybox") {
		t.Errorf("there is no shell:\n%s", strings.Join(lines, "\n"))
	}
	// An ELF file for a 64-bit ARM.
	if busybox := files["bin/busybox"]; len(busybox) < 20 || busybox[:4] != "\x7fELF" || busybox[18:20] != "\xb7\x00" {
		t.Error("busybox is not a program for arm64")
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Config.Entrypoint) != 0 || len(config.Config.Cmd) != 1 {
		t.Errorf("starts %v %v", config.Config.Entrypoint, config.Config.Cmd)
	}
	if got := config.Config.Labels["org.opencontainers.image.licenses"]; got != "Apache-2.0 AND GPL-2.0-only AND LGPL-2.1-or-later" {
		t.Errorf("its licenses are %q", got)
	}
	comesWithItsSource(t, shell, files)
}

// comesWithItsSource holds what the licenses of busybox and glibc ask for: their texts, and where the source is.
func comesWithItsSource(t *testing.T, shell *image.Shell, files map[string]string) {
	t.Helper()
	const doc = "usr/share/doc/busybox-static/"
	for name, all := range map[string][]string{
		"usr/share/common-licenses/GPL-2":    {"Version 2, June 1991"},
		"usr/share/common-licenses/LGPL-2.1": {"Version 2.1, February 1999"},
		doc + "copyright":                    {"GNU General Public License"},
		doc + "SOURCE": {"https://snapshot.debian.org/package/busybox/", "https://snapshot.debian.org/package/glibc/",
			"for three years", shell.Version, shell.Source.Version, shell.Linked[0].Version},
	} {
		for _, want := range all {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s lacks %q:\n%s", name, want, files[name])
			}
		}
	}
	document, err := spdx.Read(strings.NewReader(files[doc+"busybox.spdx.json"]))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range document.Packages {
		got = append(got, p.PackageName+" "+p.PackageVersion+" "+p.PackageLicenseConcluded)
	}
	want := []string{"busybox-static " + shell.Version + " GPL-2.0-only", "glibc " + shell.Linked[0].Version + " LGPL-2.1-or-later"}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(files["bin/busybox"])))
	if !slices.Equal(got, want) || document.Packages[0].PackageChecksums[0].Value != sum {
		t.Errorf("the SBOM lists %v", got)
	}
}
