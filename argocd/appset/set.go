package appset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Set is an ApplicationSet.
type Set struct {
	Name      string
	Namespace string
	Pos       diag.Position
	spec      setSpec
	written   typed.Object
	source    func(rendered diag.Position) diag.Position // see Relocate; nil for one in a file
	lines     sync.Map                                   // of paths, which all Applications of the set share
}

// Relocate replaces the position of a set that is in a render by where each line of that comes from.
func (s *Set) Relocate(source func(rendered diag.Position) diag.Position) {
	s.Pos, s.source = source(s.Pos), source
}

// line returns where a path of the set is written, 0 where that is not known, or in another file than the set.
func (s *Set) line(path ...any) int {
	key := fmt.Sprintf("%q", path)
	if known, ok := s.lines.Load(key); ok {
		return known.(int)
	}
	line := s.written.Line(path)
	if s.source != nil && line > 0 {
		pos := s.source(diag.Position{File: s.written.Pos.File, Line: line})
		if line = pos.Line; pos.File != s.Pos.File {
			line = 0
		}
	}
	s.lines.Store(key, line)
	return line
}

// String returns the set's name as errors write it.
func (s *Set) String() string { return manifest.Describe("ApplicationSet", s.Namespace, s.Name) }

// Same reports whether another set generates by the same fields.
func (s *Set) Same(other *Set) bool { return reflect.DeepEqual(s.spec, other.spec) }

type setSpec struct {
	GoTemplate        bool             `json:"goTemplate"`
	GoTemplateOptions []string         `json:"goTemplateOptions"`
	Generators        []map[string]any `json:"generators"`
	Template          map[string]any   `json:"template"`
	TemplatePatch     *string          `json:"templatePatch"`
}

func readSet(o typed.Object) (*Set, error) {
	var s struct {
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	err := typed.Decode(o.Fields, &s)
	if err == nil {
		err = typed.CheckName(s.Metadata.Name, s.Metadata.Namespace)
	}
	if err != nil {
		return nil, diag.Input(o.Pos, fmt.Errorf("read ApplicationSet: %w", err), "")
	}
	set := &Set{Name: s.Metadata.Name, Namespace: s.Metadata.Namespace, Pos: o.Pos, written: o}
	var body struct {
		Spec setSpec `json:"spec"`
	}
	if err := typed.Decode(o.Fields, &body); err != nil {
		return nil, set.fail(fmt.Errorf("read: %w", err), "")
	}
	set.spec = body.Spec
	return set, nil
}

// fail returns an error about the set.
func (s *Set) fail(err error, hint string) error {
	if hint == "" {
		hint = diag.HintOf(err)
	}
	exit, pos := diag.ExitInput, s.Pos
	var known *diag.Error
	if errors.As(err, &known) {
		exit = cmp.Or(known.Exit, exit)
		if known.Pos.File == s.Pos.File && known.Error() == err.Error() {
			pos, err = known.Pos, known.Err // it is in the set
		}
	}
	return &diag.Error{Exit: exit, Object: s.String(), Pos: pos, Err: err, Hint: hint}
}

// failAt returns an error about a line of the set; 0 is one that is not known.
func (s *Set) failAt(line int, err error) error {
	pos := s.Pos
	if line > 0 {
		pos.Line = line
	}
	return s.fail(diag.Input(pos, err, diag.HintOf(err)), "")
}

// madeFor returns " of Application NAME" where the name that a template makes of parameters is known.
func madeFor(l language, template map[string]any, p params) string {
	metadata, _ := template["metadata"].(map[string]any)
	text, _ := metadata["name"].(string)
	name, err := l.expand(text, p)
	if err != nil || name == "" || strings.Contains(name, "{{") {
		return ""
	}
	return " of Application " + name
}

// NoApplications returns the error of a set that generated nothing, where something is needed.
func (s *Set) NoApplications() error {
	if !slices.ContainsFunc(s.spec.Generators, func(item map[string]any) bool { return len(named(item)) > 0 }) {
		return s.fail(errors.New("it generated no Application: it names no generator"),
			"Name one under spec.generators, such as list or git.")
	}
	return s.fail(errors.New("it generated no Application"),
		"Check the paths, elements and selectors of its generators: nothing matched them.")
}

// Applications returns the Applications that the set generates, in the order of its generators. A generator that needs
// a cluster or a web service is an error, and so is anything that the controller would report; then no Application is
// returned.
func (s *Set) Applications(ctx context.Context, in *Surroundings) ([]*apps.Application, error) {
	var out []*apps.Application
	for made, err := range s.expand(ctx, in) {
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

// GeneratorError is why it is not known what a generator of a set makes.
type GeneratorError struct {
	Generator int // its place among the set's, from 0
	Err       error
}

// Known returns the Applications of those generators that can be resolved, and an error for each of the others. One
// that is of no generator has no place among them: it is -1.
func (s *Set) Known(ctx context.Context, in *Surroundings) (out []*apps.Application, failed []GeneratorError) {
	i := -1
	if _, err := s.language(); err == nil {
		i = 0
	}
	for made, err := range s.expand(ctx, in) {
		if err != nil {
			failed = append(failed, GeneratorError{i, err})
		}
		out = append(out, made...)
		i++
	}
	return out, failed
}

func (s *Set) language() (language, error) {
	return newLanguage(s.spec.GoTemplate, s.spec.GoTemplateOptions)
}

// expand iterates over what each generator makes.
func (s *Set) expand(ctx context.Context, in *Surroundings) iter.Seq2[[]*apps.Application, error] {
	return func(yield func([]*apps.Application, error) bool) {
		l, err := s.language()
		if err != nil {
			yield(nil, s.fail(err, ""))
			return
		}
		e := &expansion{ctx: ctx, in: in, language: l}
		taken := map[string]bool{}
		for i, g := range s.spec.Generators {
			made, err := e.transform(g, s.spec.Template, nil, 0)
			if err != nil {
				if !yield(nil, s.fail(fmt.Errorf("generator %d: %w", i+1, err), "")) {
					return
				}
				continue
			}
			if !yield(s.generateAll(l, i, made, taken)) {
				return
			}
		}
	}
}

// generateAll fills in the templates of a generator. Taken are the names of the Applications that the set has already.
func (s *Set) generateAll(
	l language, generator int, made []generated, taken map[string]bool,
) (out []*apps.Application, err error) {
	for _, t := range made {
		for _, p := range t.params {
			a, err := s.generate(l, generator, t.template, p)
			if err != nil {
				return nil, err
			}
			if taken[a.Name] {
				return nil, s.fail(fmt.Errorf("it makes two applications of the name %s", a.Name), "")
			}
			taken[a.Name] = true
			out = append(out, a)
		}
	}
	return out, nil
}

// generate fills in the template of a generator with parameters.
func (s *Set) generate(l language, generator int, template map[string]any, p params) (*apps.Application, error) {
	object := cloneMap(template)
	if len(p) > 0 {
		var err error
		if object, err = l.expandMap(template, p); err != nil {
			of := fmt.Errorf("template%s: %w", madeFor(l, template, p), err)
			return nil, s.failAt(s.templateLine(generator, pathOf(err)), of)
		}
	}
	before := object
	if s.spec.TemplatePatch != nil {
		var err error
		if object, err = s.applyPatch(l, object, p); err != nil {
			of := fmt.Errorf("templatePatch%s: %w", madeFor(l, template, p), err)
			return nil, s.failAt(s.line("spec", "templatePatch"), of)
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	metadata = cloneMap(metadata)
	delete(metadata, "namespace")
	if s.Namespace != "" {
		metadata["namespace"] = s.Namespace
	}
	object["metadata"] = metadata
	a, err := apps.FromTemplate(typed.Object{Fields: object, Pos: s.Pos}, func(path []any) int {
		return s.lineOf(generator, before, object, path)
	})
	if err != nil {
		return nil, s.fail(s.written.Locate(err, "spec", "template"), "")
	}
	a.Set = s.String()
	return a, nil
}

// lineOf returns where a path of an Application is written in the set: in its templatePatch, where that changed what
// was there before, or in a template; 0 where it is in none.
func (s *Set) lineOf(generator int, before, object map[string]any, path []any) int {
	if !reflect.DeepEqual(typed.At(before, path), typed.At(object, path)) {
		return s.line("spec", "templatePatch")
	}
	return s.templateLine(generator, path)
}

// templateLine returns where a path of an Application is written in the template of the generator that made it, or in
// the set's own; 0 where it is in none.
func (s *Set) templateLine(generator int, path []any) int {
	for kind := range s.spec.Generators[generator] {
		own := []any{"spec", "generators", generator, kind, "template"}
		if line := s.line(append(own, path...)...); line > 0 {
			return line
		}
	}
	return s.line(append([]any{"spec", "template"}, path...)...)
}

// applyPatch applies templatePatch. The project stays: the controller lets no patch change it.
func (s *Set) applyPatch(l language, object map[string]any, p params) (map[string]any, error) {
	text, err := l.expand(*s.spec.TemplatePatch, p)
	if err != nil {
		return nil, err
	}
	var with map[string]any
	if err := yaml.Unmarshal([]byte(text), &with); err != nil {
		return nil, errors.New("the template does not produce a YAML mapping")
	}
	out, err := patch(object, with, "")
	if err != nil {
		return nil, err
	}
	was, _ := object["spec"].(map[string]any)
	if spec, ok := out["spec"].(map[string]any); ok {
		spec = cloneMap(spec)
		delete(spec, "project")
		if project, ok := was["project"]; ok {
			spec["project"] = project
		}
		out["spec"] = spec
	}
	return out, nil
}
