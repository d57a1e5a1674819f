package kustomize

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
)

// ofYAML returns an error of a YAML library at the line of the file that it is about, in the words in which that file
// is refused where it is rendered by itself; nil where no file of the build is found that YAML refuses.
func (f failures) ofYAML(dir, text string) error {
	if !failure.IsYAML(text) {
		return nil
	}
	candidates := f.yamlFiles()
	if name, _ := failure.BrokenFile(text); name != "" {
		if real, err := f.tree.overlay.System().Real(filepath.Join(dir, name)); err == nil {
			candidates = append([]string{real}, candidates...)
		}
	}
	for _, file := range candidates {
		content, err := f.tree.at(file).ReadFile(file)
		if err != nil {
			continue
		}
		if wrong := wrongYAML(content); wrong != nil {
			wrong.Pos.File = f.tree.displayPath(file)
			wrong.Err = failure.Of(wrong.Err.Error())
			return wrong
		}
	}
	return nil
}

// yamlFiles returns the files that the build has read, in order, but for those that a generator takes as they are and
// those of charts, whose templates are no YAML.
func (f failures) yamlFiles() []string {
	read := maps.Clone(f.tree.read)
	for _, k := range f.read {
		for _, file := range k.files() {
			if real, err := f.tree.overlay.System().Real(k.path(file.path)); err == nil &&
				strings.HasSuffix(file.field, "Generator") {
				delete(read, real)
			}
		}
		for _, g := range k.generators {
			if g.chart == nil {
				continue
			}
			folder := filepath.Join(g.chart.home(), g.chart.Name)
			maps.DeleteFunc(read, func(file string, _ struct{}) bool { return files.Within(folder, file) })
		}
	}
	return slices.Sorted(maps.Keys(read))
}

// wrongYAML returns the first error of a text, with its line, that YAML or kustomize's use of it refuses; nil where
// there is none.
func wrongYAML(text []byte) *diag.Error {
	for _, err := range manifest.Documents(text, "") {
		if known := (*diag.Error)(nil); errors.As(err, &known) && known.Pos.Line > 0 {
			return known
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	for {
		var document yaml.Node
		if decoder.Decode(&document) != nil { // the end; other errors are found above
			return nil
		}
		if wrong := wrongNode(&document); wrong != nil {
			return wrong
		}
	}
}

// unreadable returns the error of an object, in an entry of the kustomization or in the file that it names, which is
// not what its kind is read as. A decoder's words may hold values.
func (k *kustomization) unreadable(entry, kind, name string, err error) error {
	return diag.Input(k.at(entry), fmt.Errorf("read %s %s: %s", kind, name, failure.OneLine(failure.Text(err.Error()))),
		"Correct its fields: "+fieldsPage)
}

// wrongEntry returns the error of an entry that is no path but a text of several lines, in which no objects are; nil
// where it may be a path.
func (k *kustomization) wrongEntry(entry, field string) error {
	if !strings.Contains(strings.TrimSpace(entry), "\n") {
		return nil
	}
	if field == "resources" || field == "components" {
		return diag.Input(k.at(entry), fmt.Errorf("find an entry of %s: it is a text, and no path", field),
			"Write the text to a file, and name that.")
	}
	wrong := wrongYAML([]byte(entry))
	if wrong == nil {
		return diag.Input(k.at(entry), fmt.Errorf("read a text under %s: it is no object", field),
			"Write an object with its apiVersion, kind and metadata.name, or the path of a file.")
	}
	pos := k.at(entry)
	if pos.Line > 0 {
		pos.Line += wrong.Pos.Line - 1
	}
	return diag.Input(pos, fmt.Errorf("read a text under %s: %w", field, wrong.Err), wrong.Hint)
}

// wrongNode returns the error of the first node below one whose value kustomize cannot take.
func wrongNode(n *yaml.Node) *diag.Error {
	at := func(n *yaml.Node, cause, hint string) *diag.Error {
		return &diag.Error{Exit: diag.ExitInput, Pos: diag.Position{Line: n.Line},
			Err: errors.New("parse YAML: " + cause), Hint: hint}
	}
	if n.Kind == yaml.ScalarNode && n.Style&yaml.TaggedStyle != 0 {
		var value any
		if n.Decode(&value) != nil {
			return at(n, "a value does not match its tag", "Correct the value, or take the tag that begins with ! out.")
		}
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].ShortTag() == "!!merge" && !canBeMerged(c) {
			return at(c, "what << merges is neither a mapping nor a list of mappings",
				`Write a mapping or an alias of one, or put quotes around "<<" where it is a key.`)
		}
		if wrong := wrongNode(c); wrong != nil {
			return wrong
		}
	}
	return nil
}

func canBeMerged(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}
