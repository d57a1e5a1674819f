package workspace

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// chartLimits bound an unpacked chart.
var chartLimits = files.Limits{Bytes: 200 << 20, Entries: 20_000}

// Chart is a chart of a repository (https) or registry (oci).
type Chart struct{ Repository, Name, Version string }

// FindChart returns the files of a chart: from a folder on this machine that was added for the repository, or from the
// repository itself.
func (r *Repositories) FindChart(ctx context.Context, c Chart) (*Checkout, error) {
	r.mu.Lock()
	var dir string
	for _, l := range r.local {
		if SameRepository(l.url, c.Repository) {
			dir = l.dir
			break
		}
	}
	r.mu.Unlock()
	if dir != "" {
		return findVendored(dir, c)
	}
	name := fmt.Sprintf("chart %s %s of %s", c.Name, c.Version, redact.URL(c.Repository))
	if !r.Network || r.Charts == nil {
		return nil, &diag.Error{Exit: diag.ExitSource, Err: fmt.Errorf("read %s: the network is not allowed", name),
			Hint: "Allow it with --allow network, or put the chart into a folder and name it with --repo " +
				redact.URL(c.Repository) + "=FOLDER."}
	}
	address := c.Repository
	if !strings.Contains(address, "://") {
		address = "oci://" + address
	}
	archive, err := r.Charts.Pull(ctx, address, c.Name, cmp.Or(c.Version, "*"))
	if err != nil {
		return nil, err
	}
	return unpack(archive, c, name)
}

// findVendored finds a chart in a folder: NAME-VERSION.tgz, NAME-VERSION/NAME, or NAME in that version.
func findVendored(dir string, c Chart) (*Checkout, error) {
	base := path.Base(c.Name)
	at := filepath.Join(dir, base+"-"+strings.TrimPrefix(c.Version, "v"))
	if archive, err := os.ReadFile(at + ".tgz"); err == nil {
		return unpack(archive, c, at+".tgz")
	}
	for _, folder := range []string{filepath.Join(at, base), filepath.Join(dir, base)} {
		text, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
		if err != nil {
			continue
		}
		var chart struct {
			Version string `json:"version"`
		}
		if yaml.Unmarshal(text, &chart) != nil || !matches(chart.Version, c.Version) {
			continue
		}
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, diag.Input(diag.Position{File: folder}, fmt.Errorf("read: %w", files.Cause(err)), "")
		}
		return &Checkout{URL: c.Repository, Root: real, Files: files.Disk{}, Revision: chart.Version}, nil
	}
	return nil, diag.Input(diag.Position{File: dir}, fmt.Errorf("chart %s in version %s is not in this folder",
		c.Name, c.Version),
		fmt.Sprintf("Put it there: helm pull %s --repo %s --version %s.", c.Name, redact.URL(c.Repository), c.Version))
}

// matches reports whether a version is the one that is wanted, or in its range.
func matches(version, wanted string) bool {
	_, in := git.Highest([]string{version}, cmp.Or(wanted, "*"))
	return in || strings.TrimPrefix(version, "v") == strings.TrimPrefix(wanted, "v")
}

// unpack shows a chart's archive as a tree.
func unpack(archive []byte, c Chart, name string) (*Checkout, error) {
	fail := func(err error) (*Checkout, error) {
		return nil, diag.Input(diag.Position{}, fmt.Errorf("unpack %s: %w", name, err), "")
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return fail(errors.New("not a gzip archive"))
	}
	tree, err := files.Unpack(z, chartLimits)
	if err != nil {
		return fail(err)
	}
	tops, err := tree.ReadDir(".")
	if err != nil {
		return fail(err)
	}
	for _, top := range tops {
		text, err := fs.ReadFile(tree, path.Join(top.Name(), "Chart.yaml"))
		if err != nil {
			continue
		}
		var chart struct {
			Version string `json:"version"`
		}
		if err := yaml.Unmarshal(text, &chart); err != nil {
			return fail(errors.New("its Chart.yaml is not well-formed"))
		}
		at := filepath.Join(string(filepath.Separator), filepath.FromSlash(AddressPath(c.Repository)),
			path.Base(c.Name)+"-"+filepath.Base(chart.Version))
		return &Checkout{URL: c.Repository, Root: filepath.Join(at, top.Name()),
			Files: files.Mount{At: at, Tree: tree}, Revision: chart.Version}, nil
	}
	return fail(errors.New("it holds no chart"))
}
