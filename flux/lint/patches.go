package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/render"
)

// Patches returns what reports patches of a Kustomization for an object that it does not build. A target without a name
// is for whatever there is, such as that of a patch which many Kustomizations get. The system has the object's file.
func Patches(k *objects.Kustomization, system files.System) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		var found []diag.Finding
		for i, p := range k.Spec.Patches {
			if p.Target == nil || p.Target.Name == "" || strings.Contains(p.Patch, "$patch") || mayBuild(out.Text, p.Target) {
				continue
			}
			field := fmt.Sprintf("spec.patches[%d]", i)
			target := strings.TrimSpace(p.Target.Kind + " " + p.Target.Name)
			f := diag.New(diag.FluxPatch, k.String(), field+" is for "+target+", which is not in what it builds")
			found = append(found, f.WithKey(field).At(k.FieldPos(system, "patches", i)))
		}
		if len(found) == 0 {
			return out, nil
		}
		with := *out
		with.Findings = append(out.Findings[:len(out.Findings):len(out.Findings)], found...)
		return &with, nil
	}
}

// mayBuild reports whether the kind and the name of a target stand in a text. Targets are patterns; those that are no
// plain words may be there.
func mayBuild(text []byte, target *objects.Selector) bool {
	isThere := func(before, word string) bool {
		return word == "" || regexp.QuoteMeta(word) != word || bytes.Contains(text, []byte(before+word))
	}
	return isThere("kind: ", target.Kind) && isThere("", target.Name)
}

// FailedPatch returns the error of a build with the patch of the Kustomization that it is about, and the next step;
// other errors as they are.
func FailedPatch(k *objects.Kustomization, err error) error {
	var built *render.BuildError
	if !errors.As(err, &built) || len(k.Spec.Patches) == 0 {
		return err
	}
	switch built.Cause {
	case render.UnreadablePatch:
		for i, p := range k.Spec.Patches {
			if !canBeRead(p.Patch) {
				return k.FailAt(fmt.Errorf("spec.patches[%d].patch is neither a manifest nor a JSON patch", i),
					"Write a part of the object, with its apiVersion, kind and name, or a list of operations with a target. "+
						"What begins with a bracket has to be JSON.", "patches", i)
			}
		}
	case render.PatchedPath:
		if i := patchOf(k, built.Path); i >= 0 {
			return k.FailAt(fmt.Errorf("spec.patches[%d]: %w", i, causeOf(err)),
				"A path of the patch is not in an object of its target: correct one of the two.", "patches", i)
		}
	case render.UnmatchedPatch:
		var known *diag.Error
		if errors.As(err, &known) {
			return &diag.Error{Exit: known.Exit, Object: k.String(), Pos: known.Pos, Err: known.Err,
				Hint: "A patch without a target is for the object of its kind, name and namespace as they stand in the source; " +
					"where spec.patches has it, " + k.Pos.String() + ", correct these, or take it out."}
		}
	}
	return err
}

// patchOf returns which of the patches alone has a path; -1 where that is not known.
func patchOf(k *objects.Kustomization, path string) int {
	found := -1
	for i, p := range k.Spec.Patches {
		if path == "" || !strings.Contains(p.Patch, path) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// causeOf returns an error without its object and position.
func causeOf(err error) error {
	var known *diag.Error
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}

// FailedNamespace returns the error of a build in which spec.targetNamespace puts two objects into one place, with the
// next step; other errors as they are.
func FailedNamespace(k *objects.Kustomization, err error) error {
	var built *render.BuildError
	if k.Spec.TargetNamespace == "" || !errors.As(err, &built) || built.Cause != render.NamespaceConflict {
		return err
	}
	return k.FailAt(causeOf(err), "Two objects of one kind and name lie in different namespaces of the source, and "+
		"spec.targetNamespace puts both into "+k.Spec.TargetNamespace+": take it out, or rename one.", "targetNamespace")
}

// canBeRead reports whether a patch is a mapping or a list. A list that begins with a bracket is read as JSON.
func canBeRead(text string) bool {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return json.Valid([]byte(text))
	}
	var patch any
	if yaml.Unmarshal([]byte(text), &patch) != nil {
		return false
	}
	switch patch.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
