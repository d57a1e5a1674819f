package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// What is in this file holds whole outputs in memory and runs in a process of its own, see process.go.

// compareObjects compares the objects of two streams in order, less the annotations that either side added. It returns
// how many there are and how many differ.
func compareObjects(a, b io.Reader) (objects, differ int, err error) {
	x, y := yaml.NewDecoder(a), yaml.NewDecoder(b)
	for {
		p, errA := nextObject(x)
		q, errB := nextObject(y)
		switch err := errors.Join(errA, errB); {
		case err != nil:
			return objects, differ, err
		case p == nil && q == nil:
			return objects, differ, nil
		case p == nil || q == nil:
			return objects, differ, fmt.Errorf("one side has more than %d objects", objects)
		case !reflect.DeepEqual(p, q):
			differ++
		}
		objects++
	}
}

// compareSets compares as compareObjects does, in whatever order the objects are.
func compareSets(a, b io.Reader) (objects, differ int, err error) {
	x, errA := objectsByName(a)
	y, errB := objectsByName(b)
	for name, p := range x {
		if !reflect.DeepEqual(p, y[name]) {
			differ++
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			differ++
		}
	}
	return max(len(x), len(y)), differ, errors.Join(errA, errB)
}

// objectsByName returns the objects of a stream by kind, namespace and name.
func objectsByName(r io.Reader) (map[string]any, error) {
	d, out := yaml.NewDecoder(r), map[string]any{}
	for {
		o, err := nextObject(d)
		if o == nil || err != nil {
			return out, err
		}
		object, _ := o.(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		name := fmt.Sprint(object["kind"], metadata["namespace"], metadata["name"])
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		out[name] = o
	}
}

// nextObject returns the next document that holds something, or nil at the end.
func nextObject(d *yaml.Decoder) (any, error) {
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		if v = withoutAdded(v); v != nil {
			return v, nil
		}
	}
}

// withoutAdded takes out what one side alone adds, annotations and the labels of helm-controller, and the mappings that
// hold nothing then; kyaml itself takes out annotations that are null.
func withoutAdded(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutAdded(v[i])
		}
	case map[string]any:
		for key, value := range v {
			v[key] = withoutAdded(value)
		}
		maps.DeleteFunc(v, func(key string, value any) bool {
			m, mapping := value.(map[string]any)
			empty := (key == "annotations" || key == "metadata") && (value == nil || mapping && len(m) == 0)
			return empty || strings.HasPrefix(key, stampPrefix) || strings.HasPrefix(key, "bench.rollstamp.dev/") ||
				strings.HasPrefix(key, "helm.toolkit.fluxcd.io/")
		})
	}
	return v
}

// printComparison is the process that compares two files.
func printComparison(a, b string, compare func(a, b io.Reader) (int, int, error)) error {
	x, err := os.Open(a)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := os.Open(b)
	if err != nil {
		return err
	}
	defer y.Close()
	objects, differ, err := compare(x, y)
	if err == nil {
		fmt.Printf(comparison, objects, differ)
	}
	return err
}

// printReaders is the process that counts which documents of a file left the fast reader.
func printReaders(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	result, err := stamp.Make(context.Background(), &render.Output{Text: text}, stamp.Options{})
	if err != nil {
		return err
	}
	r := result.Plan.Read
	fmt.Printf("%d of %d left the fast reader\n", r.Library, r.Relevant)
	return nil
}
