package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/workspace"
)

// Sources find the sources that releases name, and their files.
type Sources interface {
	// Source returns the source of a reference, which has a namespace.
	Source(ref objects.Reference) (*objects.Source, error)

	// Tree returns the files of a GitRepository, Bucket or ExternalArtifact.
	Tree(ctx context.Context, s *objects.Source) (Tree, error)

	// Folder returns the folder on this machine that the user has named for a source; "" where there is none.
	Folder(s *objects.Source) string
}

// Tree is the files of a source.
type Tree struct {
	Files    files.System // nil is the disk
	Root     string       // the top of the files; absolute, without links
	Revision string       // the commit, as hexadecimal digits; "" where that is not known
	Rules    string       // of what the files leave out, of those in the folder; other rules may show others
}

// Charts find the charts of releases.
type Charts struct {
	Sources      Sources
	Repositories *workspace.Repositories
}

// Find returns the chart of a release, as source-controller hands it to helm-controller.
func (c Charts) Find(ctx context.Context, r *objects.HelmRelease) (Chart, error) {
	f := finder{c, r}
	if r.Spec.ChartRef == nil {
		t := r.Spec.Chart.Spec
		return f.template(ctx, t, t.SourceRef.In(r.Namespace), "the chart")
	}
	s, err := f.source(r.Spec.ChartRef.In(r.Namespace), "spec.chartRef")
	if err != nil {
		return Chart{}, err
	}
	switch s.Kind {
	case "OCIRepository":
		return f.artifact(ctx, s)
	case "HelmChart":
		if c.Sources.Folder(s) == "" {
			return f.template(ctx, s.Spec.ChartSpec, s.Spec.SourceRef.In(s.Namespace), s.String())
		}
	}
	t, err := f.tree(ctx, s)
	if err != nil {
		return Chart{}, err
	}
	changes := amendments{valuesFiles: s.Spec.ValuesFiles, ignoreMissing: s.Spec.IgnoreMissingValuesFiles}
	return amend(r, found{files: t.Files, path: t.Root, valuesIn: t.Root}, changes)
}

// finder finds the chart of one release.
type finder struct {
	Charts
	r *objects.HelmRelease
}

// source returns a source that the release names.
func (f finder) source(ref objects.Reference, of string) (*objects.Source, error) {
	s, err := f.Sources.Source(ref)
	if err != nil {
		return nil, f.aboutField(fmt.Errorf("find the source of %s: %w", of, err), diag.HintOf(err), "sourceRef")
	}
	return s, nil
}

// template returns the chart that a HelmChart describes.
func (f finder) template(
	ctx context.Context, t objects.ChartSpec, ref objects.Reference, of string,
) (Chart, error) {
	s, err := f.source(ref, of)
	if err != nil {
		return Chart{}, err
	}
	changes := amendments{valuesFiles: t.ValuesFiles, ignoreMissing: t.IgnoreMissingValuesFiles}
	if s.Kind == "HelmRepository" {
		checkout, err := f.inRepository(ctx, s, t)
		if err != nil {
			return Chart{}, err
		}
		return amend(f.r, found{files: checkout.Files, path: checkout.Root, inChart: true}, changes)
	}
	tree, err := f.tree(ctx, s)
	if err != nil {
		return Chart{}, err
	}
	at, err := inTree(tree, t.Chart)
	if err != nil {
		return Chart{}, f.about(fmt.Errorf("find chart %s in %s: %w", t.Chart, s, err), pathHint(t.Chart))
	}
	if t.ReconcileStrategy == "Revision" {
		changes.revision = tree.Revision
	}
	chart, err := amend(f.r, found{files: tree.Files, path: at, valuesIn: tree.Root}, changes)
	chart.Identity += tree.Rules
	if t.ReconcileStrategy == "Revision" && tree.Revision == "" {
		chart.Unknown = "the revision of " + s.String()
	}
	return chart, err
}

// inRepository returns a chart of a HelmRepository.
func (f finder) inRepository(
	ctx context.Context, s *objects.Source, t objects.ChartSpec,
) (*workspace.Checkout, error) {
	address := strings.TrimRight(s.Spec.URL, "/")
	isOCI := strings.HasPrefix(address, "oci://")
	if (s.Spec.Type == "oci") != isOCI {
		return nil, s.Fail(fmt.Errorf("spec.type is %q, which does not fit its address", cmp.Or(s.Spec.Type, "default")),
			"Of oci:// addresses the type is oci, of others default.")
	}
	chart := workspace.Chart{Repository: address, Name: t.Chart, Version: cmp.Or(t.Version, "*")}
	if dir := f.Sources.Folder(s); dir != "" {
		checkout, err := workspace.FindVendored(dir, chart)
		return checkout, f.about(err, diag.HintOf(err))
	}
	checkout, err := f.Repositories.FindChart(ctx, chart)
	return checkout, f.missing(s, err)
}

// artifact returns the chart that an OCIRepository holds.
func (f finder) artifact(ctx context.Context, s *objects.Source) (Chart, error) {
	rev := s.Spec.Revision
	ref := workspace.Reference{Tag: rev.Tag, Range: rev.Semver, Digest: rev.Digest}
	if rev.SemverFilter != "" && rev.Semver != "" {
		return Chart{}, s.Fail(errors.New("spec.ref.semverFilter is not supported here"), "Name a tag or a digest.")
	}
	address := strings.TrimRight(s.Spec.URL, "/")
	var checkout *workspace.Checkout
	var err error
	digest, resolved := rev.Digest, ""
	if dir := f.Sources.Folder(s); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, chartFile)); err == nil {
			chart, err := amend(f.r, found{files: files.Disk{}, path: dir, inChart: true}, amendments{digest: digest})
			return chart.withoutDigest(digest, s), err
		}
		checkout, resolved, err = inFolder(dir, address, ref)
		err = f.about(err, diag.HintOf(err))
	} else {
		checkout, resolved, err = f.Repositories.FindArtifact(ctx, address, ref)
		err = f.missing(s, err)
	}
	if err != nil {
		return Chart{}, err
	}
	digest = cmp.Or(resolved, digest)
	if err := isTagOf(rev, checkout.Revision); err != nil {
		return Chart{}, f.about(err, "Flux refuses a tag that is another version than the chart's own.")
	}
	chart, err := amend(f.r, found{files: checkout.Files, path: checkout.Root, inChart: true}, amendments{digest: digest})
	return chart.withoutDigest(digest, s), err
}

// withoutDigest returns the chart of an OCIRepository, which says where its digest is not known.
func (c Chart) withoutDigest(digest string, s *objects.Source) Chart {
	if digest == "" {
		c.Unknown = "the digest of " + s.String()
	}
	return c
}

// inFolder returns the chart of an artifact from the folder that the user has named, and the artifact's digest where it
// is known there.
func inFolder(dir, address string, ref workspace.Reference) (*workspace.Checkout, string, error) {
	if l := layout(dir); l.exists() {
		return l.find(ref)
	}
	c := workspace.Chart{Repository: address, Name: path.Base(address), Version: cmp.Or(ref.Range, ref.Tag, "*")}
	checkout, err := workspace.FindVendored(dir, c)
	return checkout, "", err
}

// isTagOf returns an error where a tag is a version and not the chart's.
func isTagOf(rev objects.SourceRevision, version string) error {
	if rev.Digest != "" || rev.Semver != "" {
		return nil
	}
	tag, err := semver.NewVersion(strings.ReplaceAll(rev.Tag, "_", "+"))
	if err != nil {
		return nil
	}
	if own, err := semver.NewVersion(version); err != nil || !own.Equal(tag) {
		return fmt.Errorf("tag %s does not match the chart's version %s", rev.Tag, version)
	}
	return nil
}

// tree returns the files of a source.
func (f finder) tree(ctx context.Context, s *objects.Source) (Tree, error) {
	t, err := f.Sources.Tree(ctx, s)
	if err != nil {
		return Tree{}, f.about(err, diag.HintOf(err))
	}
	t.Files = files.OrDisk(t.Files)
	return t, nil
}

// inTree returns the path of a chart in a tree, which it does not lead out of.
func inTree(t Tree, name string) (string, error) {
	at := filepath.Join(t.Root, filepath.FromSlash(path.Join("/", name)))
	real, err := t.Files.Real(at)
	if err != nil {
		return "", files.Cause(err)
	}
	if !files.Within(t.Root, real) {
		return "", errors.New("it leads out of the source")
	}
	return real, nil
}

// missing returns the error about a chart that is not on this machine, with what makes it so.
func (f finder) missing(s *objects.Source, err error) error {
	if err == nil {
		return nil
	}
	hint := diag.HintOf(err)
	if !f.Repositories.Network {
		hint = fmt.Sprintf("Allow it with --allow network, or put the chart into a folder and name it with "+
			"--source %s/%s/%s=FOLDER.", s.Kind, s.Namespace, s.Name)
	}
	return f.about(&diag.Shared{Err: err}, hint)
}

// about returns an error as one of the release, with its exit code, at the line of the chart that it names.
func (f finder) about(err error, hint string) error { return f.aboutField(err, hint, "chart") }

// aboutField is as about, at a field of the chart's spec; what the release has by a chartRef is led to from there.
func (f finder) aboutField(err error, hint, field string) error {
	if err == nil {
		return nil
	}
	var known *diag.Error
	if errors.As(err, &known) && known.Object != "" {
		return err
	}
	exit := diag.ExitInput
	if known != nil {
		exit = known.Exit
	}
	at := []any{"chart", "spec", field}
	if f.r.Spec.ChartRef != nil {
		at = []any{"chartRef"}
	}
	return f.r.FailWith(exit, err, hint, at...)
}

// pathHint returns the next step where no chart is at a path of a source.
func pathHint(chart string) string {
	const hint = "It is the path of a folder or archive from the top of the source, through no symbolic link; " +
		"--source KIND/NAMESPACE/NAME=DIR names another top."
	inside := strings.TrimPrefix(path.Clean("/"+chart), "/")
	if leads := path.Clean(chart); leads == ".." || strings.HasPrefix(leads, "../") {
		return "A path that leads out of the source goes on from its top, so that this is " + cmp.Or(inside, "the top itself") +
			" there. " + hint
	}
	return hint
}
