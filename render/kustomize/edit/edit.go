// Package edit changes a kustomization in memory, as kustomize edit would on disk.
package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/render"
)

// IsEmpty reports whether there is nothing to change: then the file stays as it is.
func IsEmpty(e *render.KustomizeEdits) bool {
	return e.NamePrefix == "" && e.NameSuffix == "" && e.Namespace == "" &&
		len(e.Images)+len(e.Replicas)+len(e.Labels)+len(e.Annotations)+len(e.Patches)+len(e.Components) == 0
}

// Folder is where the kustomization lies.
type Folder struct {
	Path string
	Glob func(pattern string) ([]string, error) // finds files and folders

	// IsRemote reports whether an entry that matches nothing names something to fetch.
	IsRemote func(entry string) bool
}

// Apply changes a kustomization, as kustomize edit would with one command after the other. HintOf returns the next
// step for its errors.
func Apply(k *types.Kustomization, edits *render.KustomizeEdits, in Folder) error {
	return editor{in, k, edits}.run()
}

// Check returns the error of changes that fit no kustomization, whatever it holds and whatever lies beside it.
func Check(edits *render.KustomizeEdits) error {
	without := *edits
	without.Components = nil // these are files
	var k types.Kustomization
	if err := Apply(&k, &without, Folder{}); err != nil {
		return err
	}
	for i, p := range k.Patches {
		if (p.Patch == "") == (p.Path == "") {
			return fmt.Errorf("add patch %d: it needs one of patch and path", i)
		}
	}
	return nil
}

type editor struct {
	in    Folder
	kust  *types.Kustomization
	edits *render.KustomizeEdits
}

func (e editor) run() error {
	k, edits := e.kust, e.edits
	k.NamePrefix = cmp.Or(edits.NamePrefix, k.NamePrefix)
	k.NameSuffix = cmp.Or(edits.NameSuffix, k.NameSuffix)
	for _, step := range []func() error{e.images, e.replicas, e.labels, e.annotations} {
		if err := step(); err != nil {
			return err
		}
	}
	k.Namespace = cmp.Or(edits.Namespace, k.Namespace)
	for i, text := range edits.Patches {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		var p types.Patch
		if err := dec.Decode(&p); err != nil {
			return fmt.Errorf("add patch %d: not an item of the field patches: %s", i, fieldOf(err))
		}
		k.Patches = append(k.Patches, p)
	}
	return e.components()
}

// fieldOf names the field that a decoder complains about, without its value.
func fieldOf(err error) string {
	field := regexp.MustCompile(`(?:unknown field "|Go struct field \w+\.)([\w.]+)`)
	if m := field.FindStringSubmatch(err.Error()); m != nil {
		return "field " + m[1]
	}
	return "no mapping of fields"
}

// replicas replaces entries of the same names, and sorts all of them.
func (e editor) replicas() error {
	if len(e.edits.Replicas) == 0 {
		return nil
	}
	byName := map[string]types.Replica{}
	for _, old := range e.kust.Replicas {
		byName[old.Name] = old
	}
	for _, r := range e.edits.Replicas {
		if strings.Contains(r.Name, "=") {
			return fmt.Errorf("set replicas of %s: a name holds no equals sign", r.Name)
		}
		byName[r.Name] = types.Replica{Name: r.Name, Count: int64(r.Count)}
	}
	e.kust.Replicas = nil
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		e.kust.Replicas = append(e.kust.Replicas, byName[name])
	}
	return nil
}

// taken is a label or annotation that is there already.
type taken struct{ what, key string }

func (t taken) Error() string {
	return fmt.Sprintf("%s %s already in kustomization file", t.what, t.key)
}

// HintOf returns the next step for an error of Apply, or "".
func HintOf(err error) string {
	var t taken
	if !errors.As(err, &t) {
		return ""
	}
	return "Set forceCommon" + strings.ToUpper(t.what[:1]) + t.what[1:] + "s to replace it."
}

// pairs reads keys and values as kustomize reads KEY:VALUE, where a value may stand in quotes.
func pairs(what string, values map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for key, value := range values {
		rest := key + ":" + value
		key, value, _ := strings.Cut(rest, ":")
		if key == "" {
			return nil, fmt.Errorf("add %s: a key is empty", what)
		}
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		out[key] = value
	}
	return out, nil
}

// put adds pairs to those that are there, which it replaces only where that is forced.
func put(to *map[string]string, what string, values map[string]string, force bool) error {
	if *to == nil {
		*to = map[string]string{}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if _, there := (*to)[key]; there && !force {
			return taken{what, key}
		}
		(*to)[key] = values[key]
	}
	return nil
}

func (e editor) labels() error {
	if len(e.edits.Labels) == 0 {
		return nil
	}
	const what = "label"
	values, err := pairs(what, e.edits.Labels)
	switch {
	case err != nil:
		return err
	case !e.edits.LabelsWithoutSelector && e.edits.LabelsInTemplates:
		return errors.New("add label: labelIncludeTemplates needs labelWithoutSelector")
	case !e.edits.LabelsWithoutSelector:
		return put(&e.kust.CommonLabels, what, values, e.edits.ForceLabels)
	}
	for i := range e.kust.Labels {
		if l := &e.kust.Labels[i]; !l.IncludeSelectors && l.IncludeTemplates == e.edits.LabelsInTemplates {
			return put(&l.Pairs, what, values, e.edits.ForceLabels)
		}
	}
	e.kust.Labels = append(e.kust.Labels, types.Label{Pairs: values, IncludeTemplates: e.edits.LabelsInTemplates})
	return nil
}

func (e editor) annotations() error {
	if len(e.edits.Annotations) == 0 {
		return nil
	}
	const what = "annotation"
	values, err := pairs(what, e.edits.Annotations)
	if err != nil {
		return err
	}
	return put(&e.kust.CommonAnnotations, what, values, e.edits.ForceAnnotations)
}

// components adds those that the kustomization does not name yet. Patterns are taken for what they match.
func (e editor) components() error {
	for _, entry := range e.edits.Components {
		found, err := e.component(entry)
		if err != nil {
			return fmt.Errorf("add component: %w", err)
		}
		for _, c := range found {
			if !slices.Contains(e.kust.Components, c) && !slices.Contains(konfig.RecognizedKustomizationFileNames(), c) {
				e.kust.Components = append(e.kust.Components, c)
			}
		}
	}
	return nil
}

func (e editor) component(entry string) ([]string, error) {
	found, err := e.in.Glob(filepath.Join(e.in.Path, entry))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no pattern", entry)
	case len(found) == 0 && e.in.IsRemote(entry):
		return []string{entry}, nil
	case len(found) == 0:
		return nil, fmt.Errorf("%s has no match", entry)
	case !strings.ContainsAny(entry, `*?[\`):
		return []string{entry}, nil
	}
	for i, path := range found {
		if found[i], err = filepath.Rel(e.in.Path, path); err != nil {
			return nil, fmt.Errorf("%s has no match", entry)
		}
	}
	return found, nil
}
