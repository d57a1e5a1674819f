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

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// chartLimits bound an unpacked chart.
var chartLimits = files.Limits{Bytes: 200 << 20, Entries: 20_000, EmptyLinks: true}

// Chart is a chart of a repository (https) or registry (oci).
type Chart struct{ Repository, Name, Version string }

// Reference names an artifact in a repository of a registry: by digest, else by a range of versions, else by tag. The
// zero value is the tag "latest".
type Reference struct{ Tag, Range, Digest string }

// String returns the reference as messages show it.
func (r Reference) String() string { return cmp.Or(r.Digest, r.Range, r.Tag, "latest") }

// Artifact is a chart that a registry holds.
type Artifact struct {
	Archive []byte
	Digest  string // of its manifest: "sha256:" and hexadecimal digits
}

// FindChart returns the files of a chart: from a folder on this machine that was added for the repository, from the
// cache, or from the repository itself.
func (r *Repositories) FindChart(ctx context.Context, c Chart) (*Checkout, error) {
	if dir := r.folder(c.Repository); dir != "" {
		return FindVendored(dir, c)
	}
	name := fmt.Sprintf("chart %s of %s", strings.TrimSpace(c.Name+" "+c.Version), redact.URL(c.Repository))
	address := c.Repository
	if !strings.Contains(address, "://") {
		address = "oci://" + address
	}
	if !r.Network || r.Charts == nil {
		if r.Cache != nil {
			if archive := r.Cache.Cached(address, c.Name, c.Version); archive != nil {
				return unpack(archive, c, name)
			}
		}
		return nil, r.notFetched(name, c.Repository)
	}
	archive, err := r.Charts.Pull(ctx, address, c.Name, cmp.Or(c.Version, "*"))
	if err != nil {
		return nil, err
	}
	return unpack(archive, c, name)
}

// FindArtifact returns the files of the chart that a repository of a registry (oci://HOST/NAME) holds under a
// reference, and the digest of its manifest: "" where the chart is taken from a folder on this machine, which was added
// for that address or for the one above it.
func (r *Repositories) FindArtifact(ctx context.Context, address string, ref Reference) (*Checkout, string, error) {
	above, base := path.Split(strings.TrimRight(address, "/"))
	c := Chart{Repository: strings.TrimRight(above, "/"), Name: base, Version: cmp.Or(ref.Range, ref.Tag)}
	for _, at := range []string{address, c.Repository} {
		if dir := r.folder(at); dir != "" {
			found, err := FindVendored(dir, c)
			return found, "", err
		}
	}
	name := fmt.Sprintf("chart %s of %s", ref, redact.URL(address))
	var found *Artifact
	var err error
	switch {
	case r.Network && r.Charts != nil:
		found, err = r.Charts.PullArtifact(ctx, address, ref)
	case r.Cache != nil:
		found = r.Cache.CachedArtifact(address, ref)
	}
	if err == nil && found == nil {
		err = r.notFetched(name, address)
	}
	if err != nil {
		return nil, "", err
	}
	tree, err := unpack(found.Archive, c, name)
	return tree, found.Digest, err
}

// folder returns the folder that was added for a repository, "" where there is none.
func (r *Repositories) folder(address string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at(address)
}

// notFetched is the error about a chart that would have to be fetched.
func (r *Repositories) notFetched(name, repository string) error {
	return &diag.Error{Exit: diag.ExitSource, Err: fmt.Errorf("read %s: the network is not allowed", name),
		Hint: "Allow it with --allow network, or put the chart into a folder and name it with --repo " +
			redact.URL(repository) + "=FOLDER."}
}

// FindVendored finds a chart in a folder: NAME-VERSION.tgz, NAME-VERSION/NAME, NAME, or the folder itself, in that
// version; else the highest of NAME-*.tgz that is in the range.
func FindVendored(dir string, c Chart) (*Checkout, error) {
	base := path.Base(c.Name)
	at := filepath.Join(dir, base+"-"+strings.TrimPrefix(c.Version, "v"))
	if archive, err := os.ReadFile(at + ".tgz"); err == nil {
		return unpack(archive, c, at+".tgz")
	}
	for _, folder := range []string{filepath.Join(at, base), filepath.Join(dir, base), dir} {
		text, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
		if err != nil {
			continue
		}
		var chart struct{ Name, Version string }
		if yaml.Unmarshal(text, &chart) != nil || !matches(chart.Version, c.Version) || folder == dir && chart.Name != base {
			continue
		}
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, diag.Input(diag.Position{File: folder}, fmt.Errorf("read: %w", files.Cause(err)), "")
		}
		return &Checkout{URL: c.Repository, Root: real, Files: files.Disk{}, Revision: chart.Version}, nil
	}
	if at := archiveIn(dir, base, c.Version); at != "" {
		archive, err := os.ReadFile(at)
		if err != nil {
			return nil, diag.Input(diag.Position{File: at}, fmt.Errorf("read: %w", files.Cause(err)), "")
		}
		return unpack(archive, c, at)
	}
	return nil, diag.Input(diag.Position{File: dir}, fmt.Errorf("chart %s in version %s is not in this folder",
		c.Name, c.Version),
		"Put it there: "+c.pull()+".")
}

// archiveIn returns the archive with the highest version of a chart that is the one that is wanted, or in its range, as
// helm pull names it; "" where there is none.
func archiveIn(dir, name, wanted string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var found string
	var best *semver.Version
	for _, e := range entries {
		rest, isChart := strings.CutPrefix(e.Name(), name+"-")
		version, isArchive := strings.CutSuffix(rest, ".tgz")
		v, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
		if isChart && isArchive && err == nil && matches(version, wanted) && (best == nil || v.GreaterThan(best)) {
			found, best = filepath.Join(dir, e.Name()), v
		}
	}
	return found
}

// pull returns the command that fetches the chart. Of an artifact the repository has the name of the chart already.
func (c Chart) pull() string {
	from := c.Name + " --repo " + redact.URL(c.Repository)
	if strings.HasPrefix(c.Repository, "oci://") {
		from = redact.URL(strings.TrimSuffix(c.Repository, "/"+c.Name) + "/" + c.Name)
	}
	switch {
	case c.Version == "" || c.Version == "*":
		return "helm pull " + from
	case strings.ContainsAny(c.Version, " <>|*~^"):
		return "helm pull " + from + " --version '" + c.Version + "'"
	}
	return "helm pull " + from + " --version " + c.Version
}

// matches reports whether a version is the one that is wanted, or in its range.
func matches(version, wanted string) bool {
	_, in := git.Highest([]string{version}, cmp.Or(wanted, "*"))
	return in || strings.TrimPrefix(version, "v") == strings.TrimPrefix(wanted, "v")
}

// Unpack shows the archive of a chart as a tree. Errors call it by the name.
func Unpack(archive []byte, name string) (*Checkout, error) {
	return unpack(archive, Chart{Repository: "archives.invalid", Name: name}, name)
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
