package apps

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

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// Puller fetches charts from repositories (https) and registries (oci).
type Puller interface {
	Pull(ctx context.Context, repository, name, version string) (archive []byte, err error)
}

// chartLimits bound an unpacked chart.
var chartLimits = files.Limits{Bytes: 200 << 20, Entries: 20_000}

// chart returns the files of a chart that a source names: from a folder on this machine that stands for the repository, or from the
// repository itself.
func (r *Repositories) chart(ctx context.Context, pull Puller, s *Source) (*Checkout, error) {
	r.mu.Lock()
	var dir string
	for _, l := range r.local {
		if argocd.SameRepository(l.url, s.RepoURL) {
			dir = l.dir
			break
		}
	}
	r.mu.Unlock()
	if dir != "" {
		return vendored(dir, s)
	}
	name := fmt.Sprintf("chart %s %s of %s", s.Chart, s.TargetRevision, redact.URL(s.RepoURL))
	if !r.Network || pull == nil {
		return nil, &diag.Error{Exit: diag.ExitSource, Err: fmt.Errorf("read %s: the network is not allowed", name),
			Hint: "Allow it with --allow network, or put the chart into a folder and say so with --repo " + redact.URL(s.RepoURL) + "=FOLDER."}
	}
	address := s.RepoURL
	if !strings.Contains(address, "://") {
		address = "oci://" + address
	}
	archive, err := pull.Pull(ctx, address, s.Chart, cmp.Or(s.TargetRevision, "*"))
	if err != nil {
		return nil, err
	}
	return unpacked(archive, s, name)
}

// vendored finds a chart in a folder: NAME-VERSION.tgz, NAME-VERSION/NAME, or NAME in that version.
func vendored(dir string, s *Source) (*Checkout, error) {
	base := path.Base(s.Chart)
	at := filepath.Join(dir, base+"-"+strings.TrimPrefix(s.TargetRevision, "v"))
	if archive, err := os.ReadFile(at + ".tgz"); err == nil {
		return unpacked(archive, s, at+".tgz")
	}
	for _, folder := range []string{filepath.Join(at, base), filepath.Join(dir, base)} {
		text, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
		if err != nil {
			continue
		}
		var chart struct {
			Version string `json:"version"`
		}
		if yaml.Unmarshal(text, &chart) != nil || !fits(chart.Version, s.TargetRevision) {
			continue
		}
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, diag.Input(diag.Position{File: folder}, fmt.Errorf("read: %w", files.Cause(err)), "")
		}
		return &Checkout{URL: s.RepoURL, Root: real, Files: files.Disk{}, Revision: chart.Version}, nil
	}
	return nil, diag.Input(diag.Position{File: dir}, fmt.Errorf("chart %s in version %s is not in this folder", s.Chart, s.TargetRevision),
		fmt.Sprintf("Put it there: helm pull %s --repo %s --version %s.", s.Chart, redact.URL(s.RepoURL), s.TargetRevision))
}

// fits reports whether a version is the one that is wanted, or in its range.
func fits(version, wanted string) bool {
	_, in := git.Highest([]string{version}, cmp.Or(wanted, "*"))
	return in || strings.TrimPrefix(version, "v") == strings.TrimPrefix(wanted, "v")
}

// unpacked shows a chart's archive as a tree.
func unpacked(archive []byte, s *Source, name string) (*Checkout, error) {
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
		at := filepath.Join(string(filepath.Separator), filepath.FromSlash(argocd.AddressPath(s.RepoURL)), path.Base(s.Chart)+"-"+filepath.Base(chart.Version))
		return &Checkout{URL: s.RepoURL, Root: filepath.Join(at, top.Name()), Files: files.Mount{At: at, Tree: tree}, Revision: chart.Version}, nil
	}
	return fail(errors.New("it holds no chart"))
}
