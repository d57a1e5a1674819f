// Command kio does with kyaml what a post-renderer written with it does: parse every object, set an annotation on each
// pod template, print every object. The benchmark holds rollstamp against it.
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// annotation is what the benchmark takes out again before it compares.
const annotation = "bench.rollstamp.dev/kio"

func main() {
	err := kio.Pipeline{
		// Without unwrapping and without notes of the reader's own: the cheaper way to use it.
		Inputs:  []kio.Reader{&kio.ByteReader{Reader: os.Stdin, OmitReaderAnnotations: true, DisableUnwrapping: true}},
		Filters: []kio.Filter{kio.FilterFunc(annotate)},
		Outputs: []kio.Writer{kio.ByteWriter{Writer: os.Stdout}},
	}.Execute()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kio:", err)
		os.Exit(1)
	}
}

func annotate(objects []*yaml.RNode) ([]*yaml.RNode, error) {
	for _, o := range objects {
		template, err := o.Pipe(yaml.Lookup("spec", "template"))
		if err != nil || template == nil {
			continue // an object of another shape
		}
		if pod, err := template.Pipe(yaml.Lookup("spec", "containers")); err != nil || pod == nil {
			continue
		}
		if err := template.PipeE(yaml.SetAnnotation(annotation, "set")); err != nil {
			return nil, fmt.Errorf("annotate %s: %w", o.GetName(), err)
		}
	}
	return objects, nil
}
