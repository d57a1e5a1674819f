package rounds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/pipeline/retained"
)

// Source is the source of the applications that Kustomizations and HelmReleases describe, and in further rounds of
// those that are found in what these render. Its names are NAMESPACE/NAME, with the kind in front where both kinds have
// one of that name. What fails has a name, too: asking for its application returns the error, so that the others go on.
type Source struct {
	finder  *finder
	builder Builder
	read    []*objects.Objects
	errs    []error

	before       []before // other states of the files
	find         sync.Once
	memory       retained.Memory
	values       values.Store
	written      written // what the files have, for hints
	inRepository written // likewise, all files below the root
	failed       failedNames
	mentions     map[*member]map[string]bool // what may be a name in releases, for those that were asked about
	roots        map[string]*rootFolder      // by their paths

	unnamed []unnamed // below folders whose kustomizations leave them out
	strays  []stray

	members []*member            // in the order of the rounds, and then of the output
	byKey   map[string]*member   // the first of each object, by member.key
	covered map[string][]covered // objects in files, by the same, until they are found in a render
	names   []string
	named   map[string]*member
}

// NewSource returns the source of the objects that were read. The errors are those of reading them; each is a member
// of its own.
func NewSource(o Options, b Builder, read []*objects.Objects, errs []error) (*Source, error) {
	f, err := newFinder(o)
	if err != nil {
		return nil, err
	}
	return &Source{finder: f, builder: b, read: read, errs: errs, byKey: map[string]*member{},
		covered: map[string][]covered{}, named: map[string]*member{}, failed: failedNames{},
		mentions: map[*member]map[string]bool{},
		roots:    map[string]*rootFolder{}}, nil
}

// Names returns the names of all applications; what others depend on, or are found in, comes before them.
func (s *Source) Names(ctx context.Context) ([]string, error) {
	s.find.Do(func() { s.findAll(ctx) })
	if len(s.names) == 0 {
		return nil, s.nothing()
	}
	return s.names, ctx.Err()
}

// Application returns the application of a name, or the error that it failed with.
func (s *Source) Application(ctx context.Context, name string) (*app.Application, error) {
	s.find.Do(func() { s.findAll(ctx) })
	m := s.named[name]
	if m == nil {
		return nil, diag.Usage(fmt.Errorf("find application %s: there is none of that name", name),
			"List them with rollstamp apps.")
	}
	return s.application(m)
}

// IsUnchanged is app.Described's.
func (s *Source) IsUnchanged(name string) bool {
	m := s.named[name]
	return m != nil && m.unchanged
}

// Folder is app.Described's.
func (s *Source) Folder(name string) string {
	m := s.named[name]
	switch {
	case m == nil:
	case m.folder != "":
		return files.FromHere(m.folder)
	case m.app != nil:
		return m.app.Path()
	case m.undrafted != "":
		return files.FromHere(m.undrafted)
	}
	return ""
}

// Position returns where the object of an application stands, that of one that fails, too.
func (s *Source) Position(name string) diag.Position {
	if m := s.named[name]; m != nil {
		return m.Pos
	}
	return diag.Position{}
}

// Objects is app.Described's.
func (s *Source) Objects(name string) []string {
	m := s.named[name]
	if m == nil || m.Kind == "" {
		return nil
	}
	if m.err != nil {
		return []string{m.String()} // what its source changes is not known
	}
	out := []string{m.String()}
	for _, ref := range m.sources() {
		out = append(out, ref.String())
		if chart, ok := s.finder.source(ref.Kind, ref.Namespace, ref.Name); ok && chart.Kind == "HelmChart" {
			out = append(out, chart.Spec.SourceRef.In(chart.Namespace).String())
		}
	}
	return out
}

// Files is app.Described's.
func (s *Source) Files() (out []string) {
	for _, o := range s.read {
		if len(o.Metas()) > len(o.Instances) { // what else these say is flux-operator's
			out = append(out, o.Files...)
		}
	}
	for _, dir := range s.finder.kustomized() {
		for _, file := range sortedKeys(dir.names) {
			if s.finder.isRead(file) {
				out = append(out, files.FromHere(file))
			}
		}
	}
	for _, dir := range s.roots {
		for _, file := range dir.files {
			if s.finder.isRead(file) {
				out = append(out, files.FromHere(file))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// nothing returns the error of files without objects of Flux that describe applications.
func (s *Source) nothing() error {
	what := "there is no Kustomization of Flux and no HelmRelease"
	hint := "Name a file, or a folder such as clusters/production."
	if hasSources(s.read) {
		what = "there are sources, and no Kustomization of Flux and no HelmRelease"
	}
	if operated, todo := s.ofOperator(); operated != "" {
		what = "there is " + operated + ", of which flux-operator makes others in the cluster, and no Kustomization of " +
			"Flux and no HelmRelease"
		hint = todo
	}
	err := fmt.Errorf("find applications in %s: %s", strings.Join(s.finder.Paths, ", "), what)
	return &app.NoneError{Err: diag.Input(diag.Position{}, err, hint)}
}
