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

	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/notices"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/source"
)

// where are the flags that all commands share.
type where struct{ source, out, version string }

func (w *where) define(flags *flag.FlagSet) {
	flags.StringVar(&w.source, "source", ".", "the checkout to build")
	flags.StringVar(&w.out, "out", "dist", "the folder to write to, or with what was written")
	flags.StringVar(&w.version, "version", "", "the version; empty: what git describe says")
}

// parse reads the flags. The go tool runs in another folder, so the paths become absolute.
func (w *where) parse(flags *flag.FlagSet, args []string) error {
	w.define(flags)
	err := flags.Parse(args)
	if err == nil {
		w.source, err = filepath.Abs(w.source)
	}
	if err == nil {
		w.out, err = filepath.Abs(w.out)
	}
	return err
}

func (w *where) layout() string { return filepath.Join(w.out, "image") }

func runImage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	list := flags.String("platforms", "", "build for these only, such as linux/amd64")
	withShell := flags.Bool("shell", true, "make the second image, with a shell, where Debian's packages can be had")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	platforms, err := programs.ParsePlatforms(*list, image.Platforms)
	if err != nil {
		return err
	}
	tree, err := source.Read(w.source, w.version)
	if err != nil {
		return err
	}
	built := map[programs.Platform][]programs.Program{}
	for _, p := range platforms {
		if built[p], err = programs.Build(ctx, tree, p, filepath.Join(w.out, "programs")); err != nil {
			return err
		}
	}
	shell := noShell
	if *withShell {
		shell = shellIfPossible
	}
	images, err := makeImages(ctx, tree, w.out, platforms, built, shell)
	if err != nil {
		return err
	}
	return printImages(w.layout(), images)
}

// shellMode is what to do about the image with a shell.
type shellMode int

const (
	noShell         shellMode = iota
	shellIfPossible           // a note says where Debian's package could not be had
	shellOnDebian             // where this is a Debian, a package that cannot be had is an error
)

// makeImages writes the layout with the image and, where wanted and possible, the one with a shell.
func makeImages(ctx context.Context, tree source.Tree, out string, platforms []programs.Platform,
	built map[programs.Platform][]programs.Program, shell shellMode) ([]image.Tagged, error) {
	texts, err := writeTexts(ctx, tree, out, platforms)
	if err != nil {
		return nil, err
	}
	var plain, shells []image.Content
	for _, p := range platforms {
		content := image.Content{Platform: p, Programs: built[p], Texts: texts}
		plain = append(plain, content)
		if shell == noShell {
			continue
		}
		content.Shell, err = image.FetchShell(ctx, p.Arch, filepath.Join(out, "programs"))
		if errors.Is(err, image.ErrNoShell) || err != nil && shell == shellIfPossible {
			fmt.Fprintln(os.Stderr, "no image with a shell:", err)
			shell = noShell
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("shell for the second image (-shell=false leaves it out): %w", err)
		}
		shells = append(shells, content)
	}
	index, err := image.Index(tree, plain)
	if err != nil {
		return nil, err
	}
	images := []image.Tagged{{Tag: tree.Version, Index: index}}
	if shell != noShell {
		index, err := image.Index(tree, shells)
		if err != nil {
			return nil, err
		}
		images = append(images, image.Tagged{Tag: tree.Version + "-shell", Index: index})
	}
	return images, image.WriteLayout(filepath.Join(out, "image"), images)
}

// writeTexts returns the licenses that the image has: ours, and those of what is linked on its platforms.
func writeTexts(ctx context.Context, tree source.Tree, out string,
	platforms []programs.Platform) (map[string]string, error) {
	path := filepath.Join(out, "programs", noticesName)
	_, err := writeNotices(ctx, tree, platforms, path)
	return map[string]string{"LICENSE": filepath.Join(tree.Root, "LICENSE"), noticesName: path}, err
}

// writeNotices writes the licenses of what is linked on some platforms and of the images' certificates, and returns the
// modules that are linked.
func writeNotices(ctx context.Context, tree source.Tree, platforms []programs.Platform,
	path string) ([]notices.Module, error) {
	linked, err := notices.Collect(ctx, tree.Root, platforms)
	if err != nil {
		return nil, err
	}
	roots, err := notices.Certificates(ctx, tree.Root)
	if err != nil {
		return nil, err
	}
	return linked, os.WriteFile(path, notices.Text(linked, roots), 0o644)
}

func printImages(dir string, images []image.Tagged) error {
	for _, i := range images {
		digest, err := i.Index.Digest()
		if err != nil {
			return err
		}
		fmt.Printf("%s %s:%s\n", digest, dir, i.Tag)
	}
	return nil
}

// runLoad hands docker each image of the layout for the architecture of this machine.
func runLoad(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	tarball := flags.String("tarball", "", "write the archive of the first image to this file, instead of loading it")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	images, err := image.ReadLayout(w.layout())
	if err != nil {
		return err
	}
	ref := flags.Arg(0)
	if ref == "" {
		ref = "rollstamp:" + images[0].Tag
	}
	platform := programs.Platform{OS: "linux", Arch: runtime.GOARCH}
	if *tarball != "" {
		f, err := os.Create(*tarball)
		if err != nil {
			return err
		}
		if err := image.WriteTarball(f, ref, images[0].Index, platform); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	for i, suffix := range []string{"", "-shell"}[:len(images)] {
		if err := load(ctx, ref+suffix, images[i], platform); err != nil {
			return err
		}
	}
	return nil
}

func load(ctx context.Context, ref string, tagged image.Tagged, p programs.Platform) error {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return errors.New("there is no docker here to load the image into: other tools read the OCI layout, or push it")
	}
	cmd := exec.CommandContext(ctx, docker, "load")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	written := image.WriteTarball(in, ref, tagged.Index, p)
	closed := in.Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("docker load: %w", err)
	}
	return errors.Join(written, closed)
}
