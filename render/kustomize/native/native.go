// Package native builds the kustomizations that it fully understands, in a time that grows with the number of objects,
// and hands on all others.
//
// An object stays text, with the lines that are printed of it, until something changes it. Then it becomes a node tree,
// and kustomize's own plugins change it, each with a list of just the objects that it can change: so they do what they
// always do, and the comparisons of all objects with all others, which take kustomize most of its time, are done here
// with indexes of names (list.go). What is not understood ends the build with a *Declined; no error is ever shown.
//
// In the order of a build: accumulate.go goes through kustomizations, read.go reads files, generate.go runs generators,
// transform.go and patch.go the other fields, references.go follows names that changed (paths.go: where to
// look), finish.go orders and prints.
// The tables of fields are specs.go and referrers.go.
package native

import (
	"fmt"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/render/kustomize/output"
)

// Kustomization is a kustomization file that was read; deprecated fields are moved into those that replace them.
type Kustomization struct {
	Dir  string // absolute, without links
	Name string // of the file
	types.Kustomization
}

// Source is what a build reads.
type Source interface {
	// Below returns the kustomization that an entry names, or nil where the entry is a file.
	Below(k *Kustomization, entry string) (*Kustomization, error)
	// Load reads a file that a kustomization names.
	Load(k *Kustomization, path string) ([]byte, error)
}

// Order is how objects are ordered where the kustomization does not say it.
type Order int

// Sorted is the order of kustomize build, AsRead that of its option --reorder none.
const (
	Sorted Order = iota
	AsRead
)

// Output is what a kustomization is built to.
type Output struct {
	Text    []byte
	Objects []Object
	// Visited are the kustomizations in the order in which they were read; one that is used twice is there twice.
	Visited []*Kustomization
	// Complete reports that each object has an apiVersion, a kind and a name.
	Complete bool
}

// Object is one of the text.
type Object struct {
	Offset int    // of its document in the text, with the separator
	File   string // as its kustomizations name it, from the folder that is built
	Line   int    // of its kind in the file, 0 where that is not known
}

// Declined says why a kustomization is left to kustomize's library.
type Declined struct {
	Reason string // the same words for all of one sort
	Err    error  // what went wrong, if anything did; it may hold values of Secrets
}

func (d *Declined) Error() string { return "left to kustomize's library: " + d.Reason }

func (d *Declined) Unwrap() error { return d.Err }

func decline(reason string) error { return &Declined{Reason: reason} }

// failed declines what went wrong: the library decides whether that is an error, and says it.
func failed(doing string, err error) error {
	return &Declined{Reason: doing + " fails", Err: err}
}

// Build builds a kustomization. Its error is always a *Declined.
func Build(src Source, root *Kustomization, order Order) (out *Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, failed("the build", fmt.Errorf("panic: %v", r))
		}
	}()
	factory := provider.NewDefaultDepProvider().GetResourceFactory()
	b := &builder{src: src, factory: resmap.NewFactory(factory), documents: &output.Documents{}, out: &Output{},
		referrers: newReferrers()}
	if len(root.BuildMetadata) > 0 {
		return nil, decline("buildMetadata")
	}
	all := &list{}
	if err := b.accumulate(root, all, place{}); err != nil {
		return nil, err
	}
	if err := b.hashNames(all); err != nil {
		return nil, err
	}
	if err := newReferences(all, b.referrers, b.parse).fix(); err != nil {
		return nil, err
	}
	if err := dropLocal(all); err != nil {
		return nil, err
	}
	if err := sortObjects(all, root, order); err != nil {
		return nil, err
	}
	return b.out, b.print(all)
}

// builder is one build.
type builder struct {
	src       Source
	factory   *resmap.Factory
	documents *output.Documents
	out       *Output
	referrers *referrers
}
