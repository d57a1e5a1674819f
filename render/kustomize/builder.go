package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/native"
)

// builder is one way from a kustomization to the text that kustomize build prints.
type builder interface {
	build(t *tree, p *plan) (product, error)
}

// product is what a builder made.
type product struct {
	text     []byte
	objects  []native.Object // where they come from, nil where that is not known
	declined string          // why the native way left it to the library
	read     []*kustomization
	unused   []string // variables that are never replaced
}

func newBuilder(way config.KustomizeEngine, req render.Request) (builder, error) {
	opts, err := options(req)
	if err != nil {
		return nil, err
	}
	library := krustyBuilder{opts}
	switch way {
	case config.KustomizeLibrary:
		return library, nil
	case config.KustomizeBoth:
		return bothBuilder{library}, nil
	default:
		return nativeBuilder{library}, nil
	}
}

// nativeBuilder builds what it understands by itself, and the rest with kustomize's library.
type nativeBuilder struct{ library krustyBuilder }

func (b nativeBuilder) build(t *tree, p *plan) (product, error) {
	use := p.ofNative()
	leave := schema.enter(use)
	defer func() { leave() }()
	out, err := buildNative(t, p)
	if err != nil {
		if use == schemaUnused { // which does for the native way alone
			leave()
			leave = schema.enter(p.ofLibrary())
		}
		made, failed := b.library.buildEntered(t, p)
		made.declined = reasonOf(err)
		return made, failed
	}
	visited := make([]*kustomization, len(out.Visited))
	for i, k := range out.Visited {
		visited[i] = p.read[k.Dir]
	}
	return product{text: out.Text, objects: out.Objects, read: visited}, nil
}

// bothBuilder builds in both ways, and fails where they differ.
type bothBuilder struct{ library krustyBuilder }

func (b bothBuilder) build(t *tree, p *plan) (product, error) {
	defer schema.enter(p.ofLibrary())()
	out, declined := buildNative(t, p)
	made, err := b.library.buildEntered(t, p)
	switch {
	case declined != nil:
		made.declined = reasonOf(declined)
		return made, err
	case err != nil:
		return product{}, b.differ(p, "kustomize's library ends with an error, and it does not: "+err.Error())
	case !bytes.Equal(out.Text, made.text):
		return product{}, b.differ(p, fmt.Sprintf("they differ in line %d of the output", differentLine(out.Text, made.text)))
	}
	made.objects = out.Objects
	return made, nil
}

// differ is the error where the two ways differ.
func (bothBuilder) differ(p *plan, how string) error {
	return diag.Input(diag.Position{File: p.root.shown},
		fmt.Errorf("compare the native way with kustomize's library: %s", how),
		"Use --kustomize-engine library, and report the kustomization, please.")
}

func reasonOf(err error) string {
	var declined *native.Declined
	if errors.As(err, &declined) {
		return declined.Reason
	}
	return "an error"
}

// differentLine returns the first line in which two texts differ, from 1.
func differentLine(a, b []byte) int {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	return bytes.Count(a[:same], []byte("\n")) + 1
}

// buildNative builds in the native way. Its error is a *native.Declined.
func buildNative(t *tree, p *plan) (*native.Output, error) {
	if len(p.withCharts) > 0 || len(t.names.clones)+len(t.names.urls) > 0 {
		return nil, &native.Declined{Reason: "charts, or what is remote"}
	}
	order := native.Sorted
	if t.req.Kustomize.Reorder == "none" {
		order = native.AsRead
	}
	src := nativeSource{t, p}
	out, err := native.Build(src, src.of(p.root), order)
	if err == nil && t.refusal != nil {
		return nil, &native.Declined{Reason: "a file that is refused"}
	}
	if err == nil && t.req.Kustomize.Overlay != nil && !out.Complete {
		return nil, &native.Declined{Reason: "an object without apiVersion"}
	}
	return out, err
}

// nativeSource is what the native way reads.
type nativeSource struct {
	tree *tree
	plan *plan
}

func (s nativeSource) of(k *kustomization) *native.Kustomization {
	return &native.Kustomization{Dir: k.dir, Name: k.name, Kustomization: k.kust}
}

// Below returns the kustomization that an entry names, nil where it is a file.
func (s nativeSource) Below(k *native.Kustomization, entry string) (*native.Kustomization, error) {
	if (gate{s.tree}).isRemote(s.plan.read[k.Dir], entry) {
		return nil, errors.New("it is remote")
	}
	dir, file, err := s.tree.CleanedAbs(filepath.Join(k.Dir, entry))
	if err != nil || file != "" {
		return nil, err
	}
	below := s.plan.read[dir.String()]
	if below == nil {
		return nil, errors.New("it was not read before")
	}
	return s.of(below), nil
}

// Load reads a file that a kustomization names.
func (s nativeSource) Load(k *native.Kustomization, path string) ([]byte, error) {
	_, text, err := s.tree.load(s.plan.read[k.Dir], path)
	return text, err
}

// madeLocator returns where the objects of a build come from, which the native way knows.
type madeLocator struct {
	app     string
	objects []native.Object
}

// Origins returns the origin of each document of the text.
func (l madeLocator) Origins([]byte) []render.Origin {
	out := make([]render.Origin, len(l.objects))
	for i, o := range l.objects {
		out[i] = render.Origin{Offset: o.Offset, File: filepath.Join(l.app, o.File), ObjectLine: o.Line}
	}
	return out
}
