package kustomize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// chart is a chart that a kustomization asks for, by an entry of helmCharts or by a generator's configuration. Where
// kustomize runs a helm binary for it, the engine's Charts render it.
type chart struct {
	types.HelmGlobals
	types.HelmChart
	of     *kustomization
	entry  string                  // what to look for in the file
	plugin yaml.ResourceIdentifier // the generator's configuration, as buildMetadata names it
}

// chartKind is the kind of a generator's configuration that asks for a chart.
const chartKind = "HelmChartInflationGenerator"

// generator is a chart, or an entry of generators that is none.
type generator struct {
	chart *chart
	entry string
	form  form
	file  string // that holds the configuration, relative to the kustomization
	part  bool   // entry is a part of what stands there, beside a chart
}

// form is where a generator's configuration stands.
type form int

const (
	listed form = iota // under helmCharts
	inline             // in generators
	inFile             // in a file or folder that generators names
)

// charts lists the entries of helmCharts, and of the older field that kustomize moves there.
func (k *kustomization) charts() []generator {
	all := make([]generator, len(k.kust.HelmCharts))
	for i, h := range k.kust.HelmCharts {
		c := &chart{HelmChart: h, of: k, entry: h.Name,
			plugin: yaml.ResourceIdentifier{TypeMeta: yaml.TypeMeta{APIVersion: "builtin", Kind: chartKind}}}
		if k.kust.HelmGlobals != nil {
			c.HelmGlobals = *k.kust.HelmGlobals
		}
		all[i] = generator{chart: c, file: k.name}
	}
	return all
}

// chartOf reads a generator's configuration, or returns nil where it asks for no chart.
func chartOf(r *resource.Resource, k *kustomization, entry string) (*chart, error) {
	if r.GetApiVersion() != konfig.BuiltinPluginApiVersion || r.GetKind() != chartKind {
		return nil, nil
	}
	var c struct {
		types.HelmGlobals
		types.HelmChart
	}
	text, err := r.AsYAML()
	if err == nil {
		err = k8syaml.Unmarshal(text, &c)
	}
	if err != nil {
		return nil, k.errorf(entry, "read %s %s: %w", chartKind, r.GetName(), err)
	}
	return &chart{HelmGlobals: c.HelmGlobals, HelmChart: c.HelmChart, of: k, entry: entry, plugin: yaml.ResourceIdentifier{
		TypeMeta: yaml.TypeMeta{APIVersion: r.GetApiVersion(), Kind: r.GetKind()},
		NameMeta: yaml.NameMeta{Name: r.GetName(), Namespace: r.GetNamespace()},
	}}, nil
}

// files lists what the chart's entry names to be read.
func (c *chart) files() []string { return append([]string{c.ValuesFile}, c.AdditionalValuesFiles...) }

// home is the folder that holds the chart's folder.
func (c *chart) home() string {
	home := c.ChartHome
	if home == "" {
		home = types.HelmDefaultHome
	}
	if !filepath.IsAbs(home) {
		home = filepath.Join(c.of.dir, home)
	}
	if c.Version != "" && c.Repo != "" { // where kustomize puts what it fetched
		return filepath.Join(home, c.Name+"-"+c.Version)
	}
	return home
}

// inflate renders the chart for a namespace that the kustomization, or one above it, has set.
func (e Engine) inflate(ctx context.Context, t *tree, c *chart, namespace string) (text []byte, random bool, err error) {
	if err := c.check(); err != nil {
		return nil, false, err
	}
	for _, f := range c.files() {
		if remote.IsURL(f) {
			return nil, false, t.remote(c.of, f, "chart "+c.Name, f)
		}
	}
	if e.Charts == nil {
		return nil, false, c.errorf("no renderer for charts")
	}
	folder, err := e.chartFolder(t, c)
	if err != nil {
		return nil, false, err
	}
	tmp, err := os.MkdirTemp("", "rollstamp-values-")
	if err != nil {
		return nil, false, fmt.Errorf("write values: %w", err)
	}
	defer os.RemoveAll(tmp)
	values, err := t.chartValues(c, tmp)
	if err != nil {
		return nil, false, err
	}
	if c.Namespace != "" {
		namespace = c.Namespace
	}
	system, roots := t.chartFiles(folder)
	req := render.Chart{Path: folder, Files: system, Roots: roots, ReleaseName: c.ReleaseName, Namespace: namespace, Once: t.once, Options: render.HelmOptions{
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
	text, random, err = e.Charts.Inflate(ctx, req)
	if err != nil {
		// A flag of helm's is, here, an entry of the input.
		exit := max(diag.ExitInput, diag.ExitOf(err))
		if virtual := filepath.Join(c.home(), c.Name); t.overlay.around(virtual) != "" { // there is no such folder
			err = errors.New(strings.ReplaceAll(err.Error(), folder, strings.TrimSuffix(t.shown(virtual), "/")))
		}
		return nil, false, &diag.Error{Exit: exit, Pos: c.of.at(c.entry), Err: fmt.Errorf("render chart %s: %w", c.Name, err)}
	}
	return text, random, nil
}

// chartFiles returns where a chart is read: what was fetched reads nothing beyond its repository.
func (t *tree) chartFiles(folder string) (files.System, *config.Roots) {
	root := t.overlay.around(folder)
	switch {
	case root != "":
		return t.overlay.system, &config.Roots{Files: t.overlay.system, Top: root}
	case len(t.overlay.clones) > 0:
		return t.overlay.system, t.req.Roots
	}
	return t.req.Files, t.req.Roots
}

// check refuses what kustomize refuses: names that helm would take for flags, and unknown words.
func (c *chart) check() error {
	switch {
	case c.Name == "":
		return c.errorf("chart name cannot be empty")
	case strings.HasPrefix(c.Name, "-"):
		return c.errorf("chart name must not start with '-'")
	case strings.HasPrefix(c.ReleaseName, "-"):
		return c.errorf("releaseName must not start with '-'")
	case c.ReleaseName != "" && c.NameTemplate != "":
		return c.errorf("both releaseName and nameTemplate")
	case !slices.Contains([]string{"", mergeInto, mergeOver, mergeNot}, c.ValuesMerge):
		return c.errorf("valuesMerge is none of %s, %s, %s", mergeInto, mergeOver, mergeNot)
	default:
		return nil
	}
}

func (c *chart) errorf(format string, args ...any) error {
	return c.of.errorf(c.entry, "render chart %s: %w", c.Name, fmt.Errorf(format, args...))
}

// chartFolder finds the chart on disk, or fetches it, and notes its files as read.
func (e Engine) chartFolder(t *tree, c *chart) (string, error) {
	path := filepath.Join(c.home(), c.Name)
	behind, _ := t.overlay.behind(path)
	info, err := t.overlay.system.Stat(behind)
	if err != nil || !info.IsDir() {
		if c.Repo == "" {
			return "", c.errorf("no folder %s, and no repo to fetch it from", t.shown(path))
		}
		if err := e.fetchChart(t, c, path); err != nil {
			return "", err
		}
	}
	found, _, err := t.CleanedAbs(path)
	if err != nil {
		return "", err
	}
	dir, _ := t.overlay.behind(found.String())
	return dir, t.noteFolder(dir)
}

// fetchChart fetches a chart and has it stand where kustomize would unpack it.
func (e Engine) fetchChart(t *tree, c *chart, path string) error {
	if !t.req.Allow.Network {
		return &diag.Error{Exit: diag.ExitSource, Pos: c.of.at(c.entry),
			Err:  fmt.Errorf("render chart %s: no folder %s, and the network is not allowed", c.Name, t.shown(path)),
			Hint: "Allow it with --allow network, or put the chart there with helm pull --untar."}
	}
	temporary, err := t.temporary()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(temporary, "chart-")
	if err != nil {
		return fmt.Errorf("fetch chart: %w", err)
	}
	if err := e.Charts.Unpack(t.ctx, c.Repo, c.Name, c.Version, dir); err != nil {
		return &diag.Error{Exit: diag.ExitOf(err), Pos: c.of.at(c.entry), Err: fmt.Errorf("render chart %s: %w", c.Name, err), Hint: diag.HintOf(err)}
	}
	tree, ok := os.DirFS(dir).(fs.ReadLinkFS)
	if !ok {
		return errors.New("fetch chart: folders of this system cannot be read")
	}
	t.overlay.mount(path, tree, &clone{repo: remote.Repository{URL: strings.TrimSuffix(c.Repo, "/") + "/" + c.Name, Ref: c.Version}, dir: dir})
	return nil
}

// noteFolder notes every file of a folder as read.
func (t *tree) noteFolder(dir string) error {
	entries, err := t.overlay.system.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type().IsRegular() {
			t.read[path] = struct{}{}
		}
		if e.IsDir() {
			if err := t.noteFolder(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// The ways to join valuesInline with a values file.
const (
	mergeInto = "merge"    // the file wins
	mergeOver = "override" // valuesInline wins; the default
	mergeNot  = "replace"  // valuesInline alone
)

// chartValues lists the values files for helm. Like kustomize it always names one, if only the chart's own.
func (t *tree) chartValues(c *chart, tmp string) ([]string, error) {
	own := c.ValuesFile
	if own == "" {
		own = filepath.Join(c.home(), c.Name, "values.yaml")
	}
	var files []string
	if len(c.ValuesInline) == 0 {
		path, _, err := t.load(c.of, own)
		if err != nil {
			return nil, c.errorf("read values: %w", err)
		}
		files = append(files, path)
	} else {
		text, err := t.mergedValues(c, own)
		if err != nil {
			return nil, c.errorf("merge values: %s", t.calm(err, nil))
		}
		file := filepath.Join(tmp, "values.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, fmt.Errorf("write values: %w", err)
		}
		files = append(files, file)
	}
	for _, f := range c.AdditionalValuesFiles {
		if _, _, err := t.load(c.of, f); err != nil {
			return nil, c.errorf("read values: %w", err)
		}
		file, _ := t.overlay.behind(filepath.Join(c.of.dir, f))
		files = append(files, file)
	}
	return files, nil
}

// load reads a file that a kustomization names, under the rule that kustomize itself applies.
func (t *tree) load(k *kustomization, path string) (file string, b []byte, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(k.dir, path)
	}
	if t.req.Kustomize.LoadRestrictor != types.LoadRestrictionsNone.String() {
		dir, name, err := t.CleanedAbs(path)
		switch {
		case err != nil:
			return "", nil, files.Cause(err)
		case name == "":
			return "", nil, errors.New("a folder, not a file")
		case !files.Within(k.dir, dir.String()):
			return "", nil, fmt.Errorf("file '%s' is not in or below '%s'", t.shown(path), t.shown(k.dir))
		}
		path = dir.Join(name)
	}
	b, err = t.ReadFile(path)
	disk, _ := t.overlay.behind(path)
	return disk, b, files.Cause(err)
}
