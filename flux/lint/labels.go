package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// numbered reports the labels and annotations of an object that are numbers or booleans once variables are put in.
func numbered(o manifest.Object, places *render.Places) (out []diag.Finding) {
	eachText(o.Node, nil, isBuiltIn(o), func(key, value manifest.Node, path []string) {
		kind := map[manifest.Type]string{manifest.Number: "a number", manifest.Bool: "a boolean"}[value.Type()]
		if kind == "" {
			return
		}
		what := "the API server refuses the object"
		if len(path) == 2 {
			what = "Flux applies the object without any of its own " + path[1]
		}
		at := strings.Join(append(slices.Clone(path), key.Field()), ".")
		out = append(out, diag.New(diag.FluxNumber, o.String(),
			fmt.Sprintf("%s is %s once variables are put in: %s", at, kind, what)).At(places.At(key.Offset())))
	})
	return out
}

// isBuiltIn reports whether a kind is Kubernetes' own, so that what its fields are is known.
func isBuiltIn(o manifest.Object) bool {
	return !strings.Contains(o.Group(), ".") || strings.HasSuffix(o.Group(), ".k8s.io")
}

// eachText calls visit with each label and annotation of an object, and each label that it selects by: those of its own
// metadata, and where all is looked through, those of templates.
func eachText(n manifest.Node, path []string, all bool, visit func(key, value manifest.Node, path []string)) {
	for item := range n.Items() {
		eachText(item, path, all, visit)
	}
	for f := n.Fields(); f.Next(); {
		name := f.Key.Text()
		below := append(slices.Clone(path), name)
		isOfMetadata := (name == "labels" || name == "annotations") && len(path) > 0 && path[len(path)-1] == "metadata"
		if isOfMetadata || name == "matchLabels" {
			for v := f.Value.Fields(); v.Next(); {
				visit(v.Key, v.Value, below)
			}
			continue
		}
		if all || len(path) == 0 && name == "metadata" {
			eachText(f.Value, below, all, visit)
		}
	}
}
