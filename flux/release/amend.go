package release

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/workspace"
)

// found is a chart as it lies in its source.
type found struct {
	files    files.System
	path     string // folder or archive
	inChart  bool   // values files are those of the chart
	valuesIn string // else the folder that their paths begin in
}

// amendments are what Flux changes in a chart before it is rendered.
type amendments struct {
	valuesFiles   []string // what values.yaml becomes: these, merged; none leaves it
	ignoreMissing bool
	revision      string // of the source, for the version; "" for none
	digest        string // of the artifact, for the version; "" for none
}

const (
	chartFile  = "Chart.yaml"
	valuesFile = "values.yaml"
	versionKey = "version" // of a Chart.yaml

	shortDigest = 12 // characters of a digest in a version
	// generation is what the version of a chart with values files ends with when its HelmChart is new. Flux counts it
	// in the cluster, where it grows with each change of the HelmChart.
	generation = "1"
)

// amend returns a chart with the version and values that source-controller and helm-controller write into it.
func amend(r *objects.HelmRelease, at found, a amendments) (Chart, error) {
	identity := strings.Join(slices.Concat([]string{at.path, a.metadata()}, a.valuesFiles), " ")
	if a.isEmpty() {
		return Chart{Files: at.files, Path: at.path, Version: versionOf(at), Identity: identity}, nil
	}
	archive := at.path
	if info, err := at.files.Stat(at.path); err == nil && !info.IsDir() {
		if at, err = at.unpack(); err != nil {
			return Chart{}, r.Fail(fmt.Errorf("unpack the chart: %w", err), "")
		}
	}
	contents := map[string][]byte{}
	read := []string{archive, filepath.Join(at.path, chartFile)}
	text, version, err := at.withVersion(a.metadata())
	if err != nil {
		return Chart{}, r.Fail(fmt.Errorf("read %s of the chart: %w", chartFile, err), "")
	}
	if text != nil {
		contents[filepath.Join(at.path, chartFile)] = text
	}
	var missing []string
	if len(a.valuesFiles) > 0 {
		text, values, none, err := at.mergeValues(a)
		read, missing = append(read, values...), none
		if err != nil {
			return Chart{}, r.Fail(err, "Correct valuesFiles, or set ignoreMissingValuesFiles.")
		}
		contents[filepath.Join(at.path, valuesFile)] = text
	}
	return Chart{Files: files.Replaced{System: at.files, Contents: contents}, Path: at.path, Version: version,
		Identity: identity, Inputs: read, Probed: missing}, nil
}

func (a amendments) isEmpty() bool {
	return len(a.valuesFiles) == 0 && a.revision == "" && a.digest == ""
}

// metadata returns what the version of the chart gets behind its "+".
func (a amendments) metadata() string {
	var parts []string
	if _, digits, ok := strings.Cut(a.digest, ":"); ok && len(digits) >= shortDigest {
		parts = append(parts, digits[:shortDigest])
	}
	if len(a.revision) >= shortDigest {
		parts = append(parts, a.revision[:shortDigest])
	}
	if len(a.valuesFiles) > 0 {
		parts = append(parts, generation)
	}
	return strings.Join(parts, ".")
}

// unpack returns the chart of an archive as a folder.
func (at found) unpack() (found, error) {
	archive, err := at.files.ReadFile(at.path)
	if err != nil {
		return at, files.Cause(err)
	}
	checkout, err := workspace.Unpack(archive, at.path)
	if err != nil {
		return at, err
	}
	tree, ok := checkout.Files.(files.Mount)
	if !ok {
		return at, errors.New("it is not a tree")
	}
	at.files, at.path = files.Add(tree, at.files), checkout.Root
	return at, nil
}

// versionOf returns the version in a chart's folder, "" where it cannot be read.
func versionOf(at found) string {
	text, err := at.files.ReadFile(filepath.Join(at.path, chartFile))
	if err != nil {
		return ""
	}
	return versionIn(text)
}

// versionIn returns the version that a Chart.yaml has, "" for none.
func versionIn(text []byte) string {
	var chart struct {
		Version string `json:"version"`
	}
	_ = yaml.Unmarshal(text, &chart) // the engine reports what is wrong
	return chart.Version
}

// withVersion returns the Chart.yaml with the metadata in its version, nil where that changes nothing.
func (at found) withVersion(metadata string) (text []byte, version string, err error) {
	if metadata == "" {
		return nil, versionOf(at), nil
	}
	text, err = at.files.ReadFile(filepath.Join(at.path, chartFile))
	if err != nil {
		return nil, "", files.Cause(err)
	}
	v, err := semver.NewVersion(versionOf(at))
	if err != nil {
		return nil, "", errors.New("its version is not a semantic version")
	}
	changed, err := v.SetMetadata(metadata)
	if err != nil {
		return nil, "", err
	}
	for _, write := range []func([]byte, string) ([]byte, error){spliceVersion, encodeVersion} {
		if out, err := write(text, changed.String()); err == nil && versionIn(out) == changed.String() {
			return out, changed.String(), nil
		}
	}
	return nil, "", errors.New("its version cannot be changed")
}

// spliceVersion writes a version into a Chart.yaml, whose lines stay where they are.
func spliceVersion(text []byte, version string) ([]byte, error) {
	d, err := manifest.Parse(text)
	if err != nil {
		return nil, err
	}
	edits, err := splice.Set(d.Root(), []string{versionKey}, version)
	if err != nil {
		return nil, err
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), nil
}

// encodeVersion writes the fields of a Chart.yaml, and another version, as Flux does with every chart that it packs.
func encodeVersion(text []byte, version string) ([]byte, error) {
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, errors.New("it has no fields")
	}
	fields[versionKey] = version
	return yaml.Marshal(fields)
}

// mergeValues returns what the values files of a chart say together, as its only values, the files, and those that are
// not there and need not be.
func (at found) mergeValues(a amendments) (text []byte, read, missing []string, err error) {
	if _, err := at.files.Stat(filepath.Join(at.path, valuesFile)); err != nil {
		return nil, nil, nil, fmt.Errorf("replace %s of the chart: %w", valuesFile, files.Cause(err))
	}
	merged := map[string]any{}
	for _, name := range a.valuesFiles {
		file, text, err := at.values(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && a.ignoreMissing:
			missing = append(missing, file)
			continue
		case err != nil:
			return nil, nil, nil, fmt.Errorf("read values file %s: %w", name, files.Cause(err))
		}
		var layer map[string]any
		if err := yaml.Unmarshal(text, &layer); err != nil {
			return nil, nil, nil, fmt.Errorf("read values file %s: %s", name, yamlCause(err))
		}
		merged, read = merge(merged, layer), append(read, file)
	}
	if len(merged) > 0 {
		text, err = yaml.Marshal(merged)
	}
	return text, read, missing, err
}

// values reads a values file; one that is missing has a path, too. Of a chart in a HelmRepository it is a file of the
// chart, else one of the source.
func (at found) values(name string) (file string, text []byte, err error) {
	root := at.valuesIn
	if at.inChart {
		root = at.path
	}
	file, err = inTree(Tree{Files: at.files, Root: root}, path.Clean(name))
	if err != nil {
		return filepath.Join(root, filepath.FromSlash(path.Join("/", name))), nil, err
	}
	text, err = at.files.ReadFile(file)
	return file, text, err
}
