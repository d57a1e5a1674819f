// Package notices collects the licenses of what is linked into the programs, from the module cache.
package notices

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/release/programs"
)

// Module is a module and the texts that have to be passed on with it.
type Module struct {
	Path, Version string
	Texts         map[string]string // by the file's name in the module
}

func (m Module) String() string { return m.Path + " " + m.Version }

// named are the files that hold a license; others, such as NOTICE and PATENTS, come along.
var (
	named   = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-._].*)?$`)
	coming  = regexp.MustCompile(`(?i)^(notices?|patents|copyright|third[-_]?party.*)([-._].*)?$`)
	isOther = regexp.MustCompile(`(?i)\.(go|json|ya?ml|py|sh|tmpl)$`)
)

// listed is what the go tool says of a package.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// Collect returns the modules that are linked into the programs on any of the platforms, Go's own library among them.
// A module without a license is an error.
func Collect(ctx context.Context, root string, platforms []programs.Platform) ([]Module, error) {
	found := map[string]*Module{}
	for _, p := range platforms {
		packages, err := list(ctx, root, p)
		if err != nil {
			return nil, err
		}
		for _, pkg := range packages {
			if pkg.Module == nil || pkg.Module.Main || pkg.Module.Path == programs.Path {
				continue
			}
			m := found[pkg.Module.Path+" "+pkg.Module.Version]
			if m == nil {
				m = &Module{Path: pkg.Module.Path, Version: pkg.Module.Version, Texts: map[string]string{}}
				found[m.String()] = m
			}
			if err := m.read(pkg.Module.Dir, pkg.Dir); err != nil {
				return nil, err
			}
		}
	}
	library, err := standard(ctx, root)
	if err != nil {
		return nil, err
	}
	all := []Module{library}
	for _, m := range found {
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b Module) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Version, b.Version))
	})
	return all, check(all)
}

// list returns the packages that the programs consist of on a platform.
func list(ctx context.Context, root string, p programs.Platform) (all []listed, err error) {
	for _, m := range programs.Modules() {
		some, err := listIn(ctx, filepath.Join(root, m.Dir), m.Packages, p)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func listIn(ctx context.Context, dir string, of []string, p programs.Platform) ([]listed, error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,Standard,Module"}, of...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, programs.Environ(p)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w\n%s", p, err, stderr.Bytes())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg listed
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, pkg)
	}
}

// read notes the texts of each folder from a package up to its module: parts of a module may have a license of their
// own.
func (m *Module) read(module, dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || isOther.MatchString(e.Name()) || !named.MatchString(e.Name()) && !coming.MatchString(e.Name()) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			name, err := filepath.Rel(module, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m.Texts[filepath.ToSlash(name)] = string(text)
		}
		if dir == module || !strings.HasPrefix(dir, module) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

func standard(ctx context.Context, root string) (Module, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return Module{}, fmt.Errorf("go env: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	m := Module{Path: "std", Version: version, Texts: map[string]string{}}
	return m, m.read(goroot, goroot)
}

// certificates is the module with the root certificates of the images, and mozilla the notice that their license
// requires.
const (
	certificates = "golang.org/x/crypto/x509roots/fallback"
	mozilla      = `The root certificates in the container images (etc/ssl/certs/ca-certificates.crt) are those of Mozilla's
list. It is subject to the terms of the Mozilla Public License, version 2.0, of which a copy can be had at
https://mozilla.org/MPL/2.0/. Its source form is
https://hg.mozilla.org/mozilla-central/raw-file/tip/security/nss/lib/ckfw/builtins/certdata.txt
`
)

// Certificates returns the module that the root certificates in the images come from, which no program links. The
// module that makes releases, below root, pins it.
func Certificates(ctx context.Context, root string) (Module, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-mod=readonly", "-m", "-json", certificates)
	cmd.Dir = filepath.Join(root, "release")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return Module{}, fmt.Errorf("go list -m %s: %w\n%s", certificates, err, stderr.Bytes())
	}
	var pinned struct{ Version, Dir string }
	if err := json.Unmarshal(out, &pinned); err != nil {
		return Module{}, fmt.Errorf("go list -m %s: %w", certificates, err)
	}
	m := Module{Path: certificates, Version: pinned.Version, Texts: map[string]string{"the certificates": mozilla}}
	if err := m.read(pinned.Dir, pinned.Dir); err != nil {
		return m, err
	}
	return m, check([]Module{m})
}

// check names every module that has no license.
func check(all []Module) error {
	var bare []string
	for _, m := range all {
		licensed := false
		for name := range m.Texts {
			licensed = licensed || named.MatchString(filepath.Base(name))
		}
		if !licensed {
			bare = append(bare, m.String())
		}
	}
	if len(bare) > 0 {
		return fmt.Errorf("no license is found of what is linked: %s", strings.Join(bare, ", "))
	}
	return nil
}

// Text returns all notices as one text: of what is linked, and of what only the images have. Modules with the same text
// share it.
func Text(linked []Module, images ...Module) []byte {
	by := map[string][]string{}
	for _, m := range slices.Concat(linked, images) {
		for name, text := range m.Texts {
			text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
			by[text] = append(by[text], m.String()+": "+name)
		}
	}
	type group struct {
		of   []string
		text string
	}
	var groups []group
	for text, of := range by {
		slices.Sort(of)
		groups = append(groups, group{of, text})
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.of[0], b.of[0]) })
	var out bytes.Buffer
	out.WriteString("rollstamp is under the Apache License 2.0 (LICENSE). Linked into its programs are these modules, " +
		"under the\nlicenses below.\n\n")
	for _, m := range linked {
		fmt.Fprintln(&out, m)
	}
	for _, m := range images {
		fmt.Fprintf(&out, "\nIn its container images are also files made of\n\n%s\n", m)
	}
	for _, g := range groups {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 100), strings.Join(g.of, "\n"), g.text)
	}
	return out.Bytes()
}
