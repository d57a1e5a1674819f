package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/diag"
)

// kustomization is one kustomization file.
type kustomization struct {
	dir   string // absolute, without links
	name  string // of the file
	shown string // the file as the user would write it
	raw   []byte
	disk  []byte              // the text on disk, where raw is an edited one: positions are in it
	kust  types.Kustomization // deprecated fields are moved into those that replace them

	generators []generator // of the fields helmCharts and generators, in the order in which kustomize runs them
	visits     []visit     // in kustomize's order, where it has charts
	anyChart   bool        // it, or one below it, has charts
}

// inspect reads the kustomization in dir, and refuses one that is not allowed what it asks for.
func (t *tree) inspect(dir string) (*kustomization, error) {
	k := &kustomization{dir: dir}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		raw, err := t.ReadFile(filepath.Join(dir, name))
		if t.refusal != nil {
			return nil, t.refusal
		}
		if err != nil {
			continue // kustomize, too, takes a file that it cannot read for none
		}
		if k.name != "" {
			return nil, diag.Input(diag.Position{File: t.shown(dir)}, fmt.Errorf("open kustomization: both %s and %s", k.name, name), "Keep one of them.")
		}
		k.name, k.raw, k.disk, k.shown = name, raw, raw, t.shown(filepath.Join(dir, name))
		if t.edited != nil && dir == t.app {
			k.disk = t.edited.plain
		}
	}
	if k.name == "" {
		return nil, diag.Input(diag.Position{File: t.shown(dir)}, errors.New("open kustomization: no "+
			strings.Join(konfig.RecognizedKustomizationFileNames(), ", ")), "")
	}
	if err := k.kust.Unmarshal(k.raw); err != nil {
		return nil, k.invalid(err)
	}
	k.kust.FixKustomization()
	for _, text := range k.inline() {
		if err := checkAliases([]byte(text)); err != nil {
			return nil, k.errorf(text, "read YAML: %w", err)
		}
	}
	t.kusts[dir] = k
	return k, t.checkRemote(k)
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
	yamlLine  = `yaml: line (\d+): `
	jsonField = `(?:unknown field "|Go struct field \w+\.)([\w.]+)`
)

// invalid finds the line that a decoder complains about.
func (k *kustomization) invalid(err error) error {
	pos := diag.Position{File: k.shown}
	text := oneLine(err.Error())
	if m := regexp.MustCompile(yamlLine).FindStringSubmatch(text); m != nil {
		pos.Line, _ = strconv.Atoi(m[1])
		text = strings.Replace(text, m[0], "", 1)
	} else if m := regexp.MustCompile(jsonField).FindStringSubmatch(text); m != nil {
		fields := strings.Split(m[1], ".")
		pos.Line = k.line(fields[len(fields)-1] + ":")
	}
	return diag.Input(pos, errors.New(text), "")
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

// oneLine puts a text of several lines on one.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
