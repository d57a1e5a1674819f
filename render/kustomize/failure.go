package kustomize

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
)

// failures turns errors of kustomize into ours.
type failures struct {
	tree *tree
	read kustomizations
}

// of returns an error in one line, without what it repeats and without values, at a position.
func (f failures) of(err error) error {
	text := f.tree.names.plain(err.Error())
	if failure.IsRepeatedKey(text) {
		if twice := f.repeatedKey(); twice != nil {
			return twice.Fail("")
		}
	}
	if known := f.ofYAML(cmp.Or(failure.Folder(text), f.tree.app), text); known != nil {
		return known
	}
	pos := f.place(failure.Folder(text), failure.Text(text))
	if file := failure.AbsentFile(text); file != "" {
		if k := f.read[cmp.Or(failure.Folder(text), f.tree.app)]; k != nil && pos.Line == 0 {
			pos = where{f, k, text}.entryFor(file)
		}
		return diag.Input(pos, fmt.Errorf("find %s: no such file or directory", f.tree.displayPath(file)),
			"Add the file, or take it out of what names it.")
	}
	shown, hint := f.text(err, nil), ""
	if k := f.read[cmp.Or(failure.Folder(text), f.tree.app)]; k != nil {
		at, next := f.classify(k, failure.Whole(text))
		hint = next
		if at.pos.File != "" {
			pos = at.pos
		}
		if at.cause != "" {
			shown = f.mask(at.cause, nil)
		}
	}
	if all := f.twice(failure.Twice(text)); len(all) > 1 {
		hint = fmt.Sprintf("It stands at %s and at %s: take one of them away.", all[0], all[1])
		if pos.Line == 0 {
			pos = all[1]
		}
	}
	return diag.Input(pos, failure.Of(shown), hint)
}

// twice returns where an object stands in the files of the build, but for patches.
func (f failures) twice(kind, namespace, name string) (out []diag.Position) {
	if kind == "" {
		return nil
	}
	f.eachObject(f.patchFiles(), func(o manifest.Object, pos diag.Position) {
		if o.Kind == kind && o.Name == name && (o.Namespace == namespace || namespace == "" || o.Namespace == "") {
			out = append(out, pos)
		}
	})
	return out
}

// patchFiles returns the files of the build that kustomizations have as patches.
func (f failures) patchFiles() map[string]bool {
	out := map[string]bool{}
	for dir, k := range f.read {
		for _, p := range k.kust.Patches {
			out[filepath.Join(dir, p.Path)] = true
		}
	}
	return out
}

// repeatedKey returns the first key that a file of the build has twice in one mapping; nil where none is found.
func (f failures) repeatedKey() *typed.Repeated {
	for _, file := range slices.Sorted(maps.Keys(f.tree.read)) {
		text, err := f.tree.at(file).ReadFile(file)
		if err != nil {
			continue
		}
		lines := manifest.NewLines(text)
		for d, err := range manifest.Documents(text, file) {
			if err != nil {
				break
			}
			if twice := typed.FindRepeated(d, f.tree.displayPath(file), lines); twice != nil {
				return twice
			}
		}
	}
	return nil
}

// text returns an error in one line and without values, those in a text of resources included.
func (f failures) text(err error, resources []byte) string {
	return f.mask(failure.Text(f.tree.names.plain(err.Error())), resources)
}

// mask takes the values out of a text, those in a text of resources included, and has it name files as the user would:
// where a checkout lies is another place on each machine, and the failure is the same.
func (f failures) mask(text string, resources []byte) string {
	secrets := f.secrets()
	secrets.AddText(string(resources))
	text = failure.Paths(secrets.Mask(text), f.tree.fence.root(), f.tree.displayPath)
	return strings.TrimSuffix(failure.OneLine(text), ":")
}

// place finds out where an error of kustomize arose: the last kustomization on the way down, and the line there that
// holds the last name that the error mentions; or the broken file itself.
func (f failures) place(dir, text string) diag.Position {
	if dir == "" {
		dir = f.tree.app
	}
	k := f.read[dir]
	if k == nil {
		return diag.Position{File: f.tree.displayPath(dir)}
	}
	if file, line := failure.BrokenFile(text); file != "" {
		return diag.Position{File: f.tree.displayPath(filepath.Join(dir, file)), Line: f.line(filepath.Join(dir, file), line)}
	}
	for _, name := range failure.Mentions(text) {
		if line := k.line(name); line > 0 {
			return diag.Position{File: k.shown, Line: line}
		}
	}
	return diag.Position{File: k.shown}
}

// line returns the line where a file is no YAML, for which kustomize has a number.
func (f failures) line(file, number string) int {
	b, err := f.tree.ReadFile(file)
	if err != nil {
		return 0
	}
	return brokenLine(b, number)
}

// brokenLine returns the line where a text is no YAML; 0 where that is not known. A number that a decoder has counts
// from the start of a document, and may be one less.
func brokenLine(text []byte, number string) int {
	var known *diag.Error
	for _, err := range manifest.Documents(text, "") {
		if errors.As(err, &known) && known.Pos.Line > 0 {
			return known.Pos.Line
		}
	}
	if strings.Contains(string(text), "\n---") {
		return 0
	}
	line, _ := strconv.Atoi(number)
	return line
}

// secrets collects what may be a Secret's value from every file read and every kustomization.
func (f failures) secrets() failure.Secrets {
	s := failure.NewSecrets()
	for file := range f.tree.read {
		if b, err := f.tree.at(file).ReadFile(file); err == nil {
			s.AddText(string(b))
		}
	}
	for _, text := range f.tree.overlay.Texts() {
		s.AddText(string(text))
	}
	for _, k := range f.read {
		for _, g := range k.kust.SecretGenerator {
			s.AddLiterals(g.LiteralSources)
			for _, file := range slices.Concat(g.EnvSources, sourceFiles(g.FileSources)) {
				if b, err := f.tree.ReadFile(k.dir + "/" + file); err == nil {
					s.Add(string(b))
					s.AddLiterals(strings.Split(string(b), "\n"))
				}
			}
		}
		for _, text := range k.inline() {
			s.AddText(text)
		}
	}
	return s
}
