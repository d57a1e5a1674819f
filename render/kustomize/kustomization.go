package kustomize

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// kustomization is one kustomization file.
type kustomization struct {
	dir   string // absolute, without links
	name  string // of the file
	shown string // the file as the user would write it
	raw   []byte
	disk  []byte              // the text on disk, where raw is an edited one: positions are in it
	kust  types.Kustomization // deprecated fields are moved into those that replace them

	outdated []diag.Finding // about its fields

	generators []generator // of the fields helmCharts and generators, in the order in which kustomize runs them
	visits     []visit     // in kustomize's order, where it has charts
	anyChart   bool        // it, or one below it, has charts
}

// path returns where an entry is that names a file or folder. kustomize takes files by absolute paths, too.
func (k *kustomization) path(entry string) string {
	if filepath.IsAbs(entry) {
		return entry
	}
	return filepath.Join(k.dir, entry)
}

// kustomizations are those that were read, by folder.
type kustomizations map[string]*kustomization

// generator is a chart, or an entry of generators that is none.
type generator struct {
	chart *chart
	entry string
	form  form
	file  string // that holds the configuration, relative to the kustomization
	part  bool   // entry is a part of what is written there, beside a chart
}

// form is where a generator's configuration is written.
type form int

const (
	listed form = iota // under helmCharts
	inline             // in generators
	inFile             // in a file or folder that generators names
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

// place is where kustomize says that a kustomization lies, for buildMetadata.
type place struct {
	repo, ref string // of a kustomization that was fetched
	path      string // from the folder of the build, or from the repository's root
}

// placeIn returns the place of what comes from a repository. A repository's root has this name in kustomize.
func placeIn(r remote.Repository) place { return place{r.URL, r.Ref, cmp.Or(r.Folder, "notCloned")} }

// visit is one reading of a kustomization: a base may be used several times.
type visit struct {
	namespace string // set by the nearest kustomization above that sets one
	origin    place
}

// inline lists the entries that may hold resources, patches or configurations as text.
func (k *kustomization) inline() []string {
	all := slices.Concat(k.kust.Generators, k.kust.Transformers, k.kust.Validators)
	for _, p := range slices.Concat(k.kust.Patches, k.kust.PatchesJson6902) {
		all = append(all, p.Patch)
	}
	for _, p := range k.kust.PatchesStrategicMerge {
		all = append(all, string(p))
	}
	return all
}

const (
	yamlLine = `yaml: line (\d+): `
	// fieldsPage is what describes the fields of a kustomization.
	fieldsPage = "https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/"
	jsonField  = `(?:unknown field "([^"]+)"|Go struct field \w+\.((?:\w+\.)*[a-z]\w*))`
)

// invalid finds the line that a decoder complains about.
func (k *kustomization) invalid(err error) error {
	pos, hint := diag.Position{File: k.shown}, ""
	text := failure.OneLine(failure.Text(err.Error()))
	if m := regexp.MustCompile(yamlLine).FindStringSubmatch(text); m != nil {
		pos.Line = brokenLine(k.disk, m[1])
		text = strings.Replace(text, m[0], "", 1)
		hint = "That is where reading it ends: what is wrong may be in a line above."
	} else if wrong := wrongYAML(k.disk); wrong != nil {
		wrong.Pos.File, wrong.Err = k.shown, fmt.Errorf("invalid Kustomization: %w", wrong.Err)
		return wrong
	} else if m := regexp.MustCompile(jsonField).FindStringSubmatch(text); m != nil {
		if m[1] != "" {
			pos = k.one(k.keys([]string{m[1]}, true), "") // elsewhere it may be one that is known
		} else {
			// Embedded types of Go are no fields of the file.
			path := slices.DeleteFunc(strings.Split(m[2], "."), func(s string) bool { return s[0] < 'a' })
			pos = k.one(k.keys(path, false), path[0])
		}
		hint = "The fields of a kustomization, and what each holds: " + fieldsPage
	}
	return diag.Input(pos, errors.New(text), hint)
}

// outdatedFields returns what kustomize says of outdated fields, which it prints without naming a file.
func (k *kustomization) outdatedFields() (out []diag.Finding) {
	for _, advice := range *k.kust.CheckDeprecatedFields() {
		pos := diag.Position{File: k.shown}
		if _, rest, ok := strings.Cut(advice, "'"); ok {
			field, _, _ := strings.Cut(rest, "'")
			pos.Line = k.fieldLine(field)
		}
		text, instead, ok := strings.Cut(strings.TrimPrefix(advice, "# Warning: "), ". Please use ")
		if ok {
			instead, _, _ = strings.Cut(instead, " instead.")
			text += ": use " + instead
		}
		out = append(out, diag.New(diag.OutdatedField, "", text).At(pos))
	}
	return out
}

// outdatedIn returns what kustomize says of outdated fields of some kustomizations, in the order of their files.
func outdatedIn(read []*kustomization) (out []diag.Finding) {
	for _, k := range read {
		out = append(out, k.outdated...)
	}
	return diag.Sort(out)
}

// fieldLine returns the line of a field of the kustomization; 0 where it does not begin a line.
func (k *kustomization) fieldLine(name string) int {
	n := 0
	for line := range bytes.Lines(k.disk) {
		if n++; bytes.HasPrefix(line, []byte(name+":")) {
			return n
		}
	}
	return 0
}

// line returns the line of the file that first holds what is written as entry, or 0.
func (k *kustomization) line(entry string) int {
	first, _, _ := strings.Cut(strings.TrimSpace(entry), "\n")
	if first == "" {
		return 0
	}
	before, _, found := bytes.Cut(k.disk, []byte(first))
	if !found {
		return 0
	}
	return bytes.Count(before, []byte("\n")) + 1
}

// at is the position of an entry.
func (k *kustomization) at(entry string) diag.Position {
	return diag.Position{File: k.shown, Line: k.line(entry)}
}

// errorf is an error at the line of the file that holds entry.
func (k *kustomization) errorf(entry, format string, args ...any) error {
	return diag.Input(k.at(entry), fmt.Errorf(format, args...), "")
}

// parse reads resources as kustomize does. Nothing in it asks kyaml's schema, so it may run at any time.
func parse(b []byte) ([]*resource.Resource, error) {
	return provider.NewDepProvider().GetResourceFactory().SliceFromBytes(b)
}
