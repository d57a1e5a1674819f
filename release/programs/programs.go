// Package programs compiles what is released, in one way for all platforms.
package programs

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/release/source"
)

// Names are the programs of a release, as folders below cmd.
var Names = []string{"rollstamp", "rollstamp-stores", "rollstamp-helm4"}

// Path is the module that all of them are of, or whose they use.
const Path = "github.com/rollstamp/rollstamp"

// Module is a module that has programs.
type Module struct {
	Dir      string   // from the top of the source
	Packages []string // the programs, from there
}

// Modules are those that a release is built of.
func Modules() []Module {
	return []Module{
		{".", []string{"./cmd/rollstamp", "./cmd/rollstamp-stores"}},
		{"cmd/rollstamp-helm4", []string{"."}},
	}
}

// Platform is what a program is built for, by Go's names.
type Platform struct{ OS, Arch string }

// Platforms are those that are released.
var Platforms = []Platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// ParsePlatforms reads a list such as linux/amd64,darwin/arm64. An empty one is the fallback.
func ParsePlatforms(list string, fallback []Platform) ([]Platform, error) {
	if list == "" {
		return fallback, nil
	}
	var out []Platform
	for item := range strings.SplitSeq(list, ",") {
		os, arch, _ := strings.Cut(item, "/")
		p := Platform{os, arch}
		if !slices.Contains(Platforms, p) {
			return nil, fmt.Errorf("platform %q is not released: one of %v", item, Platforms)
		}
		out = append(out, p)
	}
	return out, nil
}

// Program is one that was built.
type Program struct {
	Name     string // without .exe
	Platform Platform
	Path     string
	SHA256   string
	Info     *buildinfo.BuildInfo // what Go recorded of the build
}

// File is the name of the program on its platform.
func (p Program) File() string {
	if p.Platform.OS == "windows" {
		return p.Name + ".exe"
	}
	return p.Name
}

// Build compiles the programs of a tree for one platform into a folder of their own below dir.
func Build(ctx context.Context, tree source.Tree, platform Platform, dir string) ([]Program, error) {
	out := filepath.Join(dir, platform.OS+"_"+platform.Arch)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	for _, m := range Modules() {
		if err := m.build(ctx, tree, platform, out); err != nil {
			return nil, err
		}
	}
	var all []Program
	for _, name := range Names {
		p := Program{Name: name, Platform: platform}
		p.Path = filepath.Join(out, p.File())
		if err := p.read(); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// build compiles the programs of a module into a folder.
func (m Module) build(ctx context.Context, tree source.Tree, platform Platform, out string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.release=" + tree.Name(), "-o", out + string(filepath.Separator)}
	cmd := exec.CommandContext(ctx, "go", append(args, m.Packages...)...)
	cmd.Dir = filepath.Join(tree.Root, m.Dir)
	cmd.Env = Environ(platform)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s for %s: %w\n%s", m.Dir, platform, err, output)
	}
	return nil
}

// Linked returns the modules of others that a program consists of.
func (p Program) Linked() []*debug.Module {
	return slices.DeleteFunc(slices.Clone(p.Info.Deps), func(m *debug.Module) bool { return m.Path == Path })
}

// Environ is the environment of the go tool, in which the settings of whoever builds cannot change what is built.
func Environ(platform Platform) []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Arch,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOFIPS140=off", "GODEBUG=")
}

// settings are what a build may have recorded. Another one comes from the environment, and is in nobody's second build.
var settings = []string{"-buildmode", "-compiler", "-ldflags", "-trimpath", "CGO_ENABLED", "DefaultGODEBUG",
	"GOARCH", "GOOS", "GOAMD64", "GOARM64"}

// read notes the sum of a program and what Go recorded of its build.
func (p *Program) read() error {
	f, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if p.Info, err = buildinfo.Read(f); err != nil {
		return fmt.Errorf("read the build information of %s: %w", p.Path, err)
	}
	for _, s := range p.Info.Settings {
		if !slices.Contains(settings, s.Key) {
			return fmt.Errorf("%s was built with the setting %s=%s, which a release does not have", p.Path, s.Key, s.Value)
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}
