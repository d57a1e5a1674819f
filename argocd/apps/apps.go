// Package apps reads Argo CD's Application objects, and finds the files, options and variables that each of their
// sources is rendered with.
package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Group is the API group of Argo CD's objects.
const Group = "argoproj.io"

// Application is an object of that kind, with the fields that its render depends on.
type Application struct {
	Name      string
	Namespace string // "" where it names none
	Spec      Spec
	Pos       diag.Position // of the object, or of the ApplicationSet that generated it
	// the ApplicationSet that generated it, as errors name an object; "" if it is written in a file
	Set string

	object map[string]any
	lines  func(path []any) int // where it is written in a file; 0 where that is not known
}

// YAML returns the object as a document, with its keys in alphabetical order.
func (a *Application) YAML() ([]byte, error) {
	out := maps.Clone(a.object)
	out["apiVersion"], out["kind"] = Group+"/v1alpha1", "Application"
	text, err := yaml.Marshal(out)
	if err != nil {
		return nil, a.Fail(errors.New("it cannot be written as YAML"), "")
	}
	return append([]byte("---\n"), text...), nil
}

// Relocate replaces the positions of an Application that is in a render by where each line of that comes from.
func (a *Application) Relocate(source func(rendered diag.Position) diag.Position) {
	rendered, lines := a.Pos, a.lines
	a.Pos = source(rendered)
	if lines == nil {
		return
	}
	a.lines = func(path []any) int {
		line := lines(path)
		if line == 0 {
			return 0
		}
		if pos := source(diag.Position{File: rendered.File, Line: line}); pos.File == a.Pos.File {
			return pos.Line
		}
		return 0
	}
}

// Fields returns the fields that lie below one of the object's.
func (a *Application) Fields(below string) map[string]any {
	fields, _ := a.object[below].(map[string]any)
	return fields
}

// Same reports whether another Application is the same object.
func (a *Application) Same(b *Application) bool { return reflect.DeepEqual(a.object, b.object) }

// Replacing returns the options by which Argo CD replaces what it applies, or deletes and creates it; "" for none.
func (a *Application) Replacing() string {
	spec, _ := a.object["spec"].(map[string]any)
	policy, _ := spec["syncPolicy"].(map[string]any)
	options, _ := policy["syncOptions"].([]any)
	var out []string
	for _, option := range []string{"Force=true", "Replace=true"} {
		if slices.Contains(options, any(option)) {
			out = append(out, option)
		}
	}
	return strings.Join(out, ", ")
}

// Annotation returns the value of an annotation, "" where it has none.
func (a *Application) Annotation(key string) string {
	metadata, _ := a.object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, _ := annotations[key].(string)
	return value
}

// String returns the application's name as errors write it.
func (a *Application) String() string {
	return manifest.Describe("Application", a.Namespace, a.Name)
}

// Spec is spec of an Application.
type Spec struct {
	Project     string      `json:"project"`
	Source      *Source     `json:"source"`
	Sources     []Source    `json:"sources"`
	Destination Destination `json:"destination"`
	Hydrator    *Hydrator   `json:"sourceHydrator"`
}

// Hydrator is spec.sourceHydrator of an Application.
type Hydrator struct {
	Dry  Source `json:"drySource"`
	Sync struct {
		TargetBranch string `json:"targetBranch"`
		Path         string `json:"path"`
	} `json:"syncSource"`
	To *struct {
		TargetBranch string `json:"targetBranch"`
	} `json:"hydrateTo"`
}

// Destination is spec.destination of an Application.
type Destination struct {
	Server    string `json:"server"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// Source is spec.source of an Application, or an item of spec.sources.
type Source struct {
	argocd.Source
	RepoURL        string  `json:"repoURL"`
	Path           string  `json:"path"`
	TargetRevision string  `json:"targetRevision"`
	TagPrefix      string  `json:"tagPrefix"` // from v3.5 on
	Chart          string  `json:"chart"`
	Ref            string  `json:"ref"`
	Plugin         *Plugin `json:"plugin"`

	raw map[string]any // as it is written
}

// isRendered reports whether a source has manifests; others are only referred to.
func (s *Source) isRendered() bool { return s.Path != "" || s.Chart != "" }

// UnmarshalJSON decodes the fields, and keeps all of them as they are written.
func (s *Source) UnmarshalJSON(b []byte) error {
	type fields Source
	if err := json.Unmarshal(b, (*fields)(s)); err != nil {
		return err
	}
	return json.Unmarshal(b, &s.raw)
}

// Plugin is spec.source.plugin of an Application.
type Plugin struct {
	Name string `json:"name"`
	Env  []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Parameters json.RawMessage `json:"parameters"` // as Argo CD passes them to the plugin
}

// sources returns the sources that are rendered: the hydrator's dry source if there is one, else sources, else source.
func (a *Application) sources() []Source {
	switch s := a.Spec; {
	case s.Hydrator != nil:
		return []Source{s.Hydrator.Dry}
	case len(s.Sources) > 0:
		return s.Sources
	case s.Source != nil:
		return []Source{*s.Source}
	}
	return nil
}

// ReadsPaths reports whether a source lies at a path of a repository, and not in a registry of charts.
func (a *Application) ReadsPaths() bool {
	return slices.ContainsFunc(a.sources(), func(s Source) bool { return s.Path != "" })
}

// SharesPaths reports whether several sources lie in Git, for each of which Argo CD reads the annotation of paths.
func (a *Application) SharesPaths() bool {
	inGit := 0
	for _, s := range a.sources() {
		if s.Chart == "" {
			inGit++
		}
	}
	return inGit > 1
}

// Prunes reports whether what goes from the application's manifests goes from the cluster, too: not by an automated
// sync that does not prune. A sync by hand is taken to.
func (a *Application) Prunes() bool {
	at := func(table map[string]any, key string) map[string]any {
		below, _ := table[key].(map[string]any)
		return below
	}
	automated, isAutomated := at(at(a.object, "spec"), "syncPolicy")["automated"].(map[string]any)
	return !isAutomated || automated["enabled"] == false || automated["prune"] == true
}

// many reports whether the application has a list of sources, of which one may refer to another.
func (a *Application) many() bool { return a.Spec.Hydrator == nil && len(a.Spec.Sources) > 0 }

// refName matches the names that Argo CD accepts for a source that others refer to.
var refName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]+$`) })

// check refuses what Argo CD refuses.
func (a *Application) check() error {
	if len(a.sources()) == 0 {
		return a.Fail(errors.New("it has no source"), "")
	}
	if err := a.checkDestination(); err != nil {
		return a.failAt([]any{"spec", "destination"}, err)
	}
	for i, err := range a.CheckSources() {
		return a.failAt(a.pathOf(i), err)
	}
	return nil
}

// CheckSources returns why Argo CD refuses a source by what is written in its Application, with its place among all of
// them.
func (a *Application) CheckSources() iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		seen := map[string]bool{}
		for i, s := range a.sources() {
			if err := a.checkSource(i, s, seen); err != nil && !yield(i, err) {
				return
			}
			seen[s.Ref] = s.Ref != ""
		}
	}
}

// checkSource checks one source. Those before it have these refs.
func (a *Application) checkSource(i int, s Source, seen map[string]bool) error {
	which, needed := "the source", "neither path nor chart"
	if a.many() {
		which, needed = fmt.Sprintf("source %d", i+1), "neither path nor chart nor ref"
	}
	switch {
	case s.RepoURL == "":
		return errors.New(which + " has no repoURL")
	case s.Path == "" && s.Chart == "" && (s.Ref == "" || !a.many()):
		return errors.New(which + " has " + needed)
	case s.Path != "" && s.Chart != "":
		return diag.Input(diag.Position{}, errors.New(which+" has a path and a chart"), "Keep one of them.")
	case s.Chart != "" && s.TargetRevision == "":
		return diag.Input(diag.Position{}, errors.New(which+" has a chart and no targetRevision"),
			"Name the version of the chart there.")
	case s.Chart != "" && s.Ref != "" && a.refersTo(s.Ref):
		return diag.Input(diag.Position{}, fmt.Errorf("%s is a chart, of which $%s has no files in Argo CD", which, s.Ref),
			"Let ref name a repository that has the files of values.")
	case s.Ref == "":
	case !refName().MatchString(s.Ref):
		return fmt.Errorf("ref %q of %s has other characters than letters, digits, _ and -", s.Ref, which)
	case seen[s.Ref]:
		return fmt.Errorf("two sources have the ref %q", s.Ref)
	}
	return nil
}

// refersTo reports whether a source that Argo CD renders with Helm names a file of the source with a ref.
func (a *Application) refersTo(ref string) bool {
	return slices.ContainsFunc(a.sources(), func(s Source) bool {
		if s.Helm == nil || !a.many() {
			return false
		}
		named := slices.Clone(s.Helm.ValueFiles)
		for _, p := range s.Helm.FileParameters {
			named = append(named, p.Path)
		}
		return slices.ContainsFunc(named, func(file string) bool {
			name, _, _ := strings.Cut(file, "/")
			return name == "$"+ref
		})
	})
}

// pathOf returns where a source is written in the object.
func (a *Application) pathOf(source int) []any {
	switch {
	case a.Spec.Hydrator != nil:
		return []any{"spec", "sourceHydrator", "drySource"}
	case a.many():
		return []any{"spec", "sources", source}
	}
	return []any{"spec", "source"}
}

// failAt returns an error about the application, at a path of the object where its lines are known.
func (a *Application) failAt(path []any, err error) error {
	return &diag.Error{Exit: diag.ExitInput, Object: a.String(), Pos: a.placeOf(path), Err: diag.CauseOf(err),
		Hint: diag.HintOf(err)}
}

// placeOf returns where a path of the object is written; of the application where its lines are not known.
func (a *Application) placeOf(path []any) diag.Position {
	at := a.Pos
	if a.lines != nil {
		if line := a.lines(path); line > 0 {
			at.Line = line
		}
	}
	return at
}

// Fail returns an error about the application.
func (a *Application) Fail(err error, hint string) error {
	return &diag.Error{Exit: diag.ExitInput, Object: a.String(), Pos: a.Pos, Err: err, Hint: hint}
}

// FromTemplate decodes an object of that kind that a set generated. Lines returns where a path of it is written in the
// set, 0 where that is not known.
func FromTemplate(o typed.Object, lines func(path []any) int) (*Application, error) {
	a, err := FromObject(o)
	if err == nil {
		a.lines = lines
	}
	return a, err
}

// FromObject decodes an object of that kind.
func FromObject(o typed.Object) (*Application, error) {
	var head struct {
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := typed.Decode(o.Fields, &head); err != nil {
		return nil, diag.Input(o.Pos, fmt.Errorf("read Application: %w", err), "")
	}
	a := &Application{Name: head.Metadata.Name, Namespace: head.Metadata.Namespace, Pos: o.Pos, object: o.Fields,
		lines: o.Line}
	if err := typed.CheckName(a.Name, a.Namespace); err != nil {
		return nil, diag.Input(o.Pos, fmt.Errorf("read Application: %w", err), "")
	}
	var body struct {
		Spec Spec `json:"spec"`
	}
	if err := typed.Decode(o.Fields, &body); err != nil {
		return nil, a.Fail(fmt.Errorf("read: %w", err), "")
	}
	a.Spec = body.Spec
	return a, nil
}
