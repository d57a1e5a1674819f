package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// Unread is an Application that was not rendered, with the files of other sources that it takes values from.
type Unread struct {
	Object string       `json:"object"`
	Files  []ValuesFile `json:"files"`
	Place
}

// ValuesFile is a file with values in a repository.
type ValuesFile struct {
	Name       string `json:"name"` // as the Application has it: $REF/PATH
	Repository string `json:"repository"`
	Revision   string `json:"revision,omitempty"`
}

// Path returns the path of the file in its repository.
func (f *ValuesFile) Path() string {
	_, path, _ := strings.Cut(f.Name, "/")
	return path
}

// UnreadIn returns the Applications of a text that take values from other sources, of those whose names, as
// NAMESPACE/NAME, are listed.
func UnreadIn(file string, text []byte, names []string) (out []Unread) {
	for d, err := range manifest.Documents(text, file) {
		if err != nil {
			return out // what renders it has reported that
		}
		for o := range d.Objects() {
			if !isApplication(o) || !slices.ContainsFunc(names, func(name string) bool { return isNamed(o, name) }) {
				continue
			}
			if files := valuesFiles(o); len(files) > 0 {
				line := manifest.NewLines(d.Text()).At(o.Node.Offset())
				out = append(out, Unread{o.String(), files, Place{File: file, Line: line}})
			}
		}
	}
	return out
}

// MentionsOf returns what the objects of a text mention of tools, of those that an engine renders and whose names, as
// NAMESPACE/NAME, are listed: they could not be rendered.
func MentionsOf(file string, text []byte, names []string) (out []Mention) {
	all := toolsIn(bytes.ReplaceAll(text, []byte(`\.`), []byte("."))) // as paths of parameters have dots in names
	if len(all) == 0 {
		return nil
	}
	for d, err := range manifest.Documents(text, file) {
		if err != nil {
			return out // what renders it has reported that
		}
		for o := range d.Objects() {
			if !isOfEngine(o) || !slices.ContainsFunc(names, func(name string) bool { return isNamed(o, name) }) {
				continue
			}
			place := Place{File: file, Line: manifest.NewLines(d.Text()).At(o.Node.Offset())}
			out = append(out, mentionsOf(all, o, place)...)
		}
	}
	return out
}

// mentionsOf returns what the keys of an object's spec mention of tools, its texts with values among them.
func mentionsOf(all []tool, o manifest.Object, place Place) (out []Mention) {
	eachKey(o.Node.Get("spec"), deepest, func(key string) {
		for _, t := range all {
			if !t.has(key) {
				continue
			}
			key = strings.Clone(key)
			i := slices.IndexFunc(out, func(m Mention) bool { return m.Tool == t.name })
			switch {
			case i < 0:
				out = append(out, Mention{Tool: t.name, Keys: []string{key}, Failed: true, Place: place,
					name: o.Name})
			case !slices.Contains(out[i].Keys, key):
				out[i].Keys = append(out[i].Keys, key)
			}
		}
	})
	return out
}

// isOfEngine reports whether an engine renders what an object describes.
func isOfEngine(o manifest.Object) bool {
	switch o.Group() {
	case "argoproj.io":
		return o.Kind == "Application"
	case "helm.toolkit.fluxcd.io":
		return o.Kind == "HelmRelease"
	case "kustomize.toolkit.fluxcd.io":
		return o.Kind == "Kustomization"
	}
	return false
}

// isNamed reports whether a name may be that of an object of an engine. One without a namespace is in the engine's.
func isNamed(o manifest.Object, name string) bool {
	namespace, rest, _ := strings.Cut(name, "/")
	return rest == o.Name && (o.Namespace == "" || namespace == o.Namespace)
}

func isApplication(o manifest.Object) bool {
	return o.Kind == "Application" && o.Group() == "argoproj.io"
}

// unread records where an Application that was not rendered takes values from.
func (s *scanner) unread(o manifest.Object, at diag.Position) {
	files := valuesFiles(o)
	for i := range files {
		f := &files[i]
		f.Name, f.Repository, f.Revision = s.app.hide(f.Name), s.app.hide(f.Repository), s.app.hide(f.Revision)
	}
	if len(files) > 0 {
		s.m.unread = append(s.m.unread, Unread{s.app.hide(o.String()), files, s.app.place(at, o.String())})
	}
}

// valuesFiles returns the files of other sources that an Application takes values from.
func valuesFiles(o manifest.Object) (out []ValuesFile) {
	sources := o.Node.At("spec", "sources")
	for source := range sources.Items() {
		for item := range source.At("helm", "valueFiles").Items() {
			name := item.StringValue()
			ref, isRef := strings.CutPrefix(name, "$")
			ref, _, _ = strings.Cut(ref, "/")
			for other := range sources.Items() {
				if isRef && other.Get("ref").StringValue() == ref {
					out = append(out, ValuesFile{strings.Clone(name), redact.URL(strings.Clone(other.Get("repoURL").StringValue())),
						strings.Clone(other.Get("targetRevision").StringValue())})
				}
			}
		}
	}
	return out
}
