package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/release/archive"
	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/manifests"
	"github.com/rollstamp/rollstamp/release/notices"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/provenance"
	"github.com/rollstamp/rollstamp/release/sbom"
	"github.com/rollstamp/rollstamp/release/source"
)

// The names of files of a release.
const (
	noticesName    = "NOTICES"
	provenanceName = "provenance.intoto.json"
)

// byHand is who built where nobody else is named.
const byHand = dist.Repository + "/blob/main/docs/release.md#by-hand"

// builder makes all files of a release, one kind after another.
type builder struct {
	tree      source.Tree
	out       string
	platforms []programs.Platform
	shell     bool
	by        string
}

func runBuild(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	list := flags.String("platforms", "", "build for these only, such as linux/amd64,darwin/arm64")
	b := builder{}
	flags.BoolVar(&b.shell, "shell", true, "make the second image, with a shell, where Debian's apt-get is")
	flags.StringVar(&b.by, "builder", byHand, "who builds, as a URI, for the provenance")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	var err error
	if b.platforms, err = programs.ParsePlatforms(*list, programs.Platforms); err != nil {
		return err
	}
	if b.tree, err = source.Read(w.source, w.version); err != nil {
		return err
	}
	b.out = w.out
	if !b.tree.IsRelease() {
		fmt.Fprintf(os.Stderr, "not to be published: %s is no version of a commit without changes\n", b.tree.Version)
	}
	if err := empty(w.out); err != nil {
		return err
	}
	r, err := b.release(ctx)
	if err != nil {
		return err
	}
	sum, _, err := dist.Sum(filepath.Join(w.out, dist.Checksums))
	if err != nil {
		return err
	}
	fmt.Printf("%s %s, %d files\nimage %s\n%s %s\n", w.out, r.Tag, len(r.Artifacts), r.ImageDigest, dist.Checksums, sum)
	return nil
}

// empty removes an earlier release, so that no file of it is taken for one of the next. The pages of the documentation
// stay. A folder of something else is left alone.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "site" })
	for _, e := range entries {
		if !isOurs(e.Name()) {
			return fmt.Errorf("%s holds something else than a release, %s: name another folder by -out", dir, e.Name())
		}
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// isOurs reports whether a name is that of a file or folder of a release.
func isOurs(name string) bool {
	return slices.Contains([]string{"image", "programs", noticesName, provenanceName}, name) ||
		strings.HasPrefix(name, dist.Checksums) || strings.HasPrefix(name, "rollstamp")
}

// release builds everything. Each step adds to the release what it made.
func (b *builder) release(ctx context.Context) (dist.Release, error) {
	r := dist.Release{Version: b.tree.Version, Tag: b.tree.Name(), Revision: b.tree.Revision, Date: b.tree.Date}
	built, err := b.programs(ctx)
	if err != nil {
		return r, err
	}
	r, linked, err := b.notices(ctx, r)
	if err != nil {
		return r, err
	}
	if err := checkNotices(linked, built); err != nil {
		return r, err
	}
	if r, err = b.archives(ctx, r, built); err != nil {
		return r, err
	}
	if r, err = b.sboms(r, built); err != nil {
		return r, err
	}
	if r, err = b.image(ctx, r, built); err != nil {
		return r, err
	}
	if r, err = b.manifests(r); err != nil {
		return r, err
	}
	if r, err = b.provenance(r, built); err != nil {
		return r, err
	}
	return r, r.WriteChecksums(b.out)
}

func (b *builder) programs(ctx context.Context) (map[programs.Platform][]programs.Program, error) {
	built := map[programs.Platform][]programs.Program{}
	for _, p := range b.platforms {
		fmt.Fprintln(os.Stderr, "building for", p)
		var err error
		if built[p], err = programs.Build(ctx, b.tree, p, filepath.Join(b.out, "programs")); err != nil {
			return nil, err
		}
	}
	return built, nil
}

func (b *builder) notices(ctx context.Context, r dist.Release) (dist.Release, []notices.Module, error) {
	linked, err := writeNotices(ctx, b.tree, b.platforms, filepath.Join(b.out, noticesName))
	if err != nil {
		return r, nil, err
	}
	r, err = r.Add(b.out, dist.Artifact{Name: noticesName, Kind: dist.Notices})
	return r, linked, err
}

// checkNotices compares the notices with what Go recorded when it linked.
func checkNotices(linked []notices.Module, built map[programs.Platform][]programs.Program) error {
	known := map[string]bool{}
	for _, m := range linked {
		known[m.String()] = true
	}
	for _, all := range built {
		for _, p := range all {
			for _, dep := range p.Linked() {
				if m := (notices.Module{Path: dep.Path, Version: dep.Version}); !known[m.String()] {
					return fmt.Errorf("%s for %s links %s, whose license is not in %s", p.Name, p.Platform, m, noticesName)
				}
			}
		}
	}
	return nil
}

func (b *builder) archives(ctx context.Context, r dist.Release,
	built map[programs.Platform][]programs.Program) (dist.Release, error) {
	extras, err := b.extras(ctx, r, built)
	if err != nil {
		return r, err
	}
	for _, p := range b.platforms {
		files := []archive.File{
			{Name: "LICENSE", From: filepath.Join(b.tree.Root, "LICENSE")},
			{Name: noticesName, From: filepath.Join(b.out, noticesName)},
		}
		for _, program := range built[p] {
			files = append(files, archive.File{Name: program.File(), From: program.Path, Executable: true})
		}
		for name, content := range extras {
			script := strings.HasPrefix(string(content), "#!")
			files = append(files, archive.File{Name: name, Content: content, Executable: script})
		}
		name := fmt.Sprintf("rollstamp_%s_%s_%s.tar.gz", r.Version, p.OS, p.Arch)
		if p.OS == "windows" {
			name = strings.TrimSuffix(name, ".tar.gz") + ".zip"
		}
		if err := archive.Write(filepath.Join(b.out, name), b.tree.Date, files); err != nil {
			return r, err
		}
		if r, err = r.Add(b.out, dist.Artifact{Name: name, Kind: dist.Archive, OS: p.OS, Arch: p.Arch}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// extras are asked of the program that runs here, whether it is released or not.
func (b *builder) extras(ctx context.Context, r dist.Release,
	built map[programs.Platform][]programs.Program) (map[string][]byte, error) {
	here := programs.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	own := built[here]
	if len(own) == 0 {
		dir, err := os.MkdirTemp("", "rollstamp-release-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if own, err = programs.Build(ctx, b.tree, here, dir); err != nil {
			return nil, err
		}
	}
	return manifests.Extras(ctx, own[0].Path, r)
}

func (b *builder) sboms(r dist.Release, built map[programs.Platform][]programs.Program) (dist.Release, error) {
	for _, p := range b.platforms {
		name := fmt.Sprintf("rollstamp_%s_%s_%s.spdx.json", r.Version, p.OS, p.Arch)
		f, err := os.Create(filepath.Join(b.out, name))
		if err != nil {
			return r, err
		}
		err = sbom.Write(f, b.tree, built[p])
		if err := errors.Join(err, f.Close()); err != nil {
			return r, fmt.Errorf("write %s: %w", name, err)
		}
		if r, err = r.Add(b.out, dist.Artifact{Name: name, Kind: dist.SBOM, OS: p.OS, Arch: p.Arch}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// image makes the image for those of its platforms that are built.
func (b *builder) image(ctx context.Context, r dist.Release,
	built map[programs.Platform][]programs.Program) (dist.Release, error) {
	platforms := slices.DeleteFunc(slices.Clone(image.Platforms),
		func(p programs.Platform) bool { return len(built[p]) == 0 })
	if len(platforms) == 0 {
		return r, nil
	}
	shell := noShell
	if b.shell {
		shell = shellOnDebian
	}
	images, err := makeImages(ctx, b.tree, b.out, platforms, built, shell)
	if err != nil {
		return r, err
	}
	digest, err := images[0].Index.Digest()
	r.ImageDigest = digest.String()
	return r, err
}

func (b *builder) manifests(r dist.Release) (dist.Release, error) {
	files, err := manifests.Files(r)
	if err != nil {
		return r, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(b.out, name), files[name], 0o644); err != nil {
			return r, err
		}
		if r, err = r.Add(b.out, dist.Artifact{Name: name, Kind: dist.Manifest}); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (b *builder) provenance(r dist.Release,
	built map[programs.Platform][]programs.Program) (dist.Release, error) {
	var all []programs.Program
	for _, p := range b.platforms {
		all = append(all, built[p]...)
	}
	text, err := provenance.New(b.tree, r, all, b.by).Encode()
	if err != nil {
		return r, err
	}
	if err := os.WriteFile(filepath.Join(b.out, provenanceName), text, 0o644); err != nil {
		return r, err
	}
	return r.Add(b.out, dist.Artifact{Name: provenanceName, Kind: dist.Provenance})
}
