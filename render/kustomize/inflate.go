package kustomize

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// inflater renders the charts that kustomizations name. Where kustomize runs a helm binary for it, charts render them.
type inflater struct {
	charts   render.Inflater // nil: charts are refused
	tree     *tree
	fetch    *fetcher
	failures failures
	once     bool // charts need not be tried for what is random
}

// inflate renders the chart for a namespace that the kustomization, or one above it, has set.
func (i *inflater) inflate(c *chart, namespace string) (text []byte, random bool, err error) {
	t := i.tree
	if err := c.check(); err != nil {
		return nil, false, err
	}
	for _, f := range c.files() {
		if remote.IsURL(f) {
			return nil, false, gate{i.tree}.refuseRemote(c.of, f, "chart "+c.Name, f)
		}
	}
	if i.charts == nil {
		return nil, false, c.errorf("no renderer for charts")
	}
	folder, err := i.chartFolder(c)
	if err != nil {
		return nil, false, err
	}
	tmp, err := os.MkdirTemp("", "rollstamp-values-")
	if err != nil {
		return nil, false, fmt.Errorf("write values: %w", err)
	}
	defer os.RemoveAll(tmp)
	values, err := i.values(c, tmp)
	if err != nil {
		return nil, false, err
	}
	if c.Namespace != "" {
		namespace = c.Namespace
	}
	system, roots := i.files(folder)
	req := render.Chart{Path: folder, Files: system, Roots: roots, ReleaseName: c.ReleaseName,
		Namespace: namespace, Once: i.once, Options: render.HelmOptions{
			NameTemplate: c.NameTemplate,
			ValuesFiles:  values,
			KubeVersion:  cmp.Or(t.req.Kustomize.HelmKubeVersion, c.KubeVersion, t.req.Kustomize.PinnedKubeVersion),
			APIVersions:  c.ApiVersions,
			IncludeCRDs:  c.IncludeCRDs,
			SkipTests:    c.SkipTests,
			NoHooks:      c.SkipHooks,
		}}
	if flag := t.req.Kustomize.HelmAPIVersions; len(flag) > 0 {
		req.Options.APIVersions = flag
	}
	text, random, err = i.charts.Inflate(t.ctx, req)
	if err != nil {
		// A flag of helm's is, here, an entry of the input.
		exit := max(diag.ExitInput, diag.ExitOf(err))
		if virtual := filepath.Join(c.home(), c.Name); t.overlay.Root(virtual) != "" { // there is no such folder
			err = errors.New(strings.ReplaceAll(err.Error(), folder, strings.TrimSuffix(t.displayPath(virtual), "/")))
		}
		var known *diag.Error
		if errors.As(err, &known) && filepath.IsAbs(known.Pos.File) && t.overlay.Root(known.Pos.File) == "" &&
			files.Within(t.fence.root(), known.Pos.File) {
			pos := known.Pos
			pos.File = t.displayPath(pos.File)
			return nil, false, &diag.Error{Exit: exit, Pos: pos, Hint: known.Hint,
				Err: fmt.Errorf("render chart %s of %s: %w", c.Name, c.of.at(c.entry), known.Err)}
		}
		return nil, false, &diag.Error{Exit: exit, Pos: c.of.at(c.entry), Err: fmt.Errorf("render chart %s: %w", c.Name, err)}
	}
	return text, random, nil
}

// files returns where a chart is read: what was fetched reads nothing beyond its repository.
func (i *inflater) files(folder string) (files.System, *config.Roots) {
	t := i.tree
	root := t.overlay.Root(folder)
	switch {
	case root != "":
		return t.overlay.System(), &config.Roots{Files: t.overlay.System(), Top: root}
	case t.overlay.HasTrees():
		return t.overlay.System(), t.req.Roots
	}
	return t.req.Files, t.req.Roots
}

// chartFolder finds the chart on disk, or fetches it, and notes its files as read.
func (i *inflater) chartFolder(c *chart) (string, error) {
	t := i.tree
	path := filepath.Join(c.home(), c.Name)
	behind, _ := t.overlay.Resolve(path)
	info, err := t.overlay.System().Stat(behind)
	if err != nil || !info.IsDir() {
		if c.Repo == "" {
			return "", c.errorf("no folder %s, and no repo to fetch it from", t.displayPath(path))
		}
		if err := i.fetchChart(c, path); err != nil {
			return "", err
		}
	}
	found, _, err := t.CleanedAbs(path)
	if err != nil {
		return "", err
	}
	dir, _ := t.overlay.Resolve(found.String())
	return dir, t.noteFolder(dir)
}

// fetchChart fetches a chart and shows it where kustomize would unpack it.
func (i *inflater) fetchChart(c *chart, path string) error {
	t := i.tree
	if !t.req.Allow.Network {
		return &diag.Error{Exit: diag.ExitSource, Pos: c.of.at(c.entry),
			Err:  fmt.Errorf("render chart %s: no folder %s, and the network is not allowed", c.Name, t.displayPath(path)),
			Hint: "Allow it with --allow network, or put the chart there with helm pull --untar."}
	}
	temporary, err := i.fetch.temporary()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(temporary, "chart-")
	if err != nil {
		return fmt.Errorf("fetch chart: %w", err)
	}
	if err := i.charts.Unpack(t.ctx, c.Repo, c.Name, c.Version, dir); err != nil {
		return &diag.Error{Exit: diag.ExitOf(err), Pos: c.of.at(c.entry),
			Err: fmt.Errorf("render chart %s: %w", c.Name, err), Hint: diag.HintOf(err)}
	}
	tree, ok := os.DirFS(dir).(fs.ReadLinkFS)
	if !ok {
		return errors.New("fetch chart: folders of this system cannot be read")
	}
	repo := remote.Repository{URL: strings.TrimSuffix(c.Repo, "/") + "/" + c.Name, Ref: c.Version}
	i.fetch.mount(path, tree, &clone{repo: repo, dir: dir, temporary: true})
	return nil
}

// values lists the values files for helm. Like kustomize it always names one, if only the chart's own.
func (i *inflater) values(c *chart, tmp string) ([]string, error) {
	t, valuesFile := i.tree, c.ValuesFile
	if valuesFile == "" {
		valuesFile = filepath.Join(c.home(), c.Name, "values.yaml")
	}
	var files []string
	if len(c.ValuesInline) == 0 {
		path, _, err := t.load(c.of, valuesFile)
		if err != nil {
			return nil, i.valuesError(c, valuesFile, err)
		}
		files = append(files, path)
	} else {
		text, err := i.mergeValues(c, valuesFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, i.valuesError(c, valuesFile, err)
		}
		if err != nil {
			return nil, c.errorf("merge values: %s", i.failures.text(err, nil))
		}
		file := filepath.Join(tmp, "values.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, fmt.Errorf("write values: %w", err)
		}
		files = append(files, file)
	}
	for _, f := range c.AdditionalValuesFiles {
		if _, _, err := t.load(c.of, f); err != nil {
			return nil, i.valuesError(c, f, err)
		}
		file, _ := t.overlay.Resolve(filepath.Join(c.of.dir, f))
		files = append(files, file)
	}
	return files, nil
}

// valuesError returns the error about a values file of a chart, at the line that names it.
func (i *inflater) valuesError(c *chart, name string, err error) error {
	at, hint := name, "Its path begins in the folder of the kustomization: correct it, or add the file."
	if name != c.ValuesFile && !slices.Contains(c.AdditionalValuesFiles, name) {
		at, hint = c.entry, "kustomize wants a values.yaml of each chart: add one, or name another with valuesFile."
	}
	if !errors.Is(err, fs.ErrNotExist) {
		hint = ""
	}
	err = fmt.Errorf("render chart %s: read values file %s: %w", c.Name, i.tree.displayPath(c.of.path(name)), err)
	return diag.Input(c.of.at(at), err, hint)
}

// mergeValues joins valuesInline with the values file, step by step as kustomize does: its merge drops null values
// and prints numbers in its own way.
func (i *inflater) mergeValues(c *chart, valuesFile string) ([]byte, error) {
	if c.ValuesMerge == mergeNot {
		return k8syaml.Marshal(c.ValuesInline)
	}
	_, text, err := i.tree.load(c.of, valuesFile)
	if err != nil {
		return nil, err
	}
	file, err := yaml.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", i.tree.displayPath(valuesFile), err)
	}
	inline, err := yaml.FromMap(c.ValuesInline)
	if err != nil {
		return nil, err
	}
	over, under := inline, file
	if c.ValuesMerge == mergeInto {
		over, under = file, inline
	}
	merged, err := merge2.Merge(over, under, yaml.MergeOptions{})
	if err != nil {
		return nil, err
	}
	values, err := merged.Map()
	if err != nil {
		return nil, err
	}
	return k8syaml.Marshal(values)
}
