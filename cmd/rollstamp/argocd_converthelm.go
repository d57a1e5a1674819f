package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
)

// helmProgram is a helm, such as that of a repo-server.
type helmProgram struct {
	path    string
	Version string // v3.18.4
	env     []string
}

// helmRelease matches what a released helm says of itself.
var helmRelease = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+[-+.\w]*$`)
})

// findHelm asks a program for its version.
func findHelm(ctx context.Context, path string) (*helmProgram, error) {
	h := &helmProgram{path: path}
	limited, cancel := context.WithTimeoutCause(ctx, answersWithin, fmt.Errorf("no answer within %s", answersWithin))
	defer cancel()
	out, err := h.run(limited, "version", "--template", "{{.Version}}")
	if h.Version = strings.TrimSpace(string(out)); err == nil && !helmRelease().MatchString(h.Version) {
		err = errors.New("it is no release of helm")
	}
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("--helm %s: %w", path, err),
			"Name the helm of the repo-server's image, copied out of it.")
	}
	return h, nil
}

// answersWithin is how long a program may take to say its version, on a machine that is busy.
const answersWithin = 30 * time.Second

// run returns what it prints. What it says of an error may hold values, and is reported by its kind only.
func (h *helmProgram) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, h.path, args...)
	cmd.Env = append(config.WithHidden(cmd.Environ()), h.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // for what a script has started
	err := cmd.Run()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.Canceled):
		return nil, errors.New("interrupted")
	case cause != nil:
		return nil, cause
	case err != nil:
		if strings.Contains(stderr.String(), "missing in charts/ directory") {
			return nil, errDependencies
		}
		return nil, err
	}
	return stdout.Bytes(), nil
}

// Template renders a chart as Argo CD calls helm for it. The chart and its values are copied: they may be those of a
// commit, and nothing is ever written to a work tree.
func (h *helmProgram) Template(ctx context.Context, req render.Request) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rollstamp-helm")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it is temporary
	c := copied{dir: dir, system: files.OrDisk(req.Files)}
	chart := filepath.Join(dir, "tree", strings.TrimPrefix(req.Path, filepath.VolumeName(req.Path)))
	if err := c.beside(req.Path, chart); err != nil {
		return nil, fmt.Errorf("copy chart: %w", files.Cause(err))
	}
	args, err := c.flags(req)
	if err != nil {
		return nil, fmt.Errorf("copy values: %w", files.Cause(err))
	}
	args = append([]string{"template", chart}, args...)
	out, err := h.run(ctx, args...)
	if errors.Is(err, errDependencies) {
		if err = h.buildDependencies(ctx, &c, req, chart); err == nil {
			out, err = h.run(ctx, args...)
		}
	}
	if err != nil {
		hint := "Run it by hand to see what it says, after helm dependency build where the chart has dependencies; it may " +
			"fetch them with --allow network."
		if ctx.Err() != nil {
			hint = "Run it by hand to see what it waits for, or allow more time with --timeout."
		}
		err := fmt.Errorf("helm %s template: %w", h.Version, err)
		return nil, diag.Input(diag.Position{File: files.FromHere(req.Path)}, err, hint)
	}
	return out, nil
}

// copied are files of a render in a folder of the disk.
type copied struct {
	dir    string
	system files.System
	values int
}

// flags returns the flags that Argo CD passes to helm.
func (c *copied) flags(req render.Request) ([]string, error) {
	o := req.Helm
	args := []string{"--name-template", cmp.Or(o.NameTemplate, o.ReleaseName), "--namespace", req.Namespace,
		"--kube-version", cmp.Or(o.KubeVersion, helm.DefaultKubeVersion)}
	several := func(flag string, values []string) {
		for _, v := range values {
			args = append(args, flag, v)
		}
	}
	several("--set", o.Set)
	several("--set-string", o.SetString)
	several("--api-versions", o.APIVersions)
	for _, set := range o.SetFile {
		name, path, _ := strings.Cut(set, "=")
		to, err := c.file(strings.ReplaceAll(path, `\,`, ","))
		if err != nil {
			return nil, err
		}
		args = append(args, "--set-file", name+"="+strings.ReplaceAll(to, ",", `\,`))
	}
	for _, path := range o.ValuesFiles {
		if !strings.Contains(path, "://") {
			var err error
			if path, err = c.file(path); err != nil {
				return nil, err
			}
		}
		args = append(args, "--values", path)
	}
	for _, v := range o.Values {
		path, err := c.write(v.Text)
		if err != nil {
			return nil, err
		}
		args = append(args, "--values", path)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"--include-crds", o.IncludeCRDs}, {"--skip-tests", o.SkipTests},
		{"--skip-schema-validation", o.SkipSchemaValidation},
	} {
		if flag.set {
			args = append(args, flag.name)
		}
	}
	return args, nil
}

// file copies a file with values.
func (c *copied) file(path string) (string, error) {
	text, err := c.system.ReadFile(path)
	if err != nil {
		return "", err
	}
	return c.write(text)
}

func (c *copied) write(text []byte) (string, error) {
	c.values++
	path := filepath.Join(c.dir, fmt.Sprintf("values-%d.yaml", c.values))
	return path, os.WriteFile(path, text, 0o600)
}

// tree copies a folder, or a packed chart, with what its links lead to.
func (c *copied) tree(from, to string) error {
	info, err := c.system.Stat(from)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		text, err := c.system.ReadFile(from)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	case !info.IsDir():
		return nil
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	entries, err := c.system.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		err := c.tree(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a link that leads nowhere
			return err
		}
	}
	return nil
}
