package argocd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	argoglob "github.com/gobwas/glob"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm/sets"
	"github.com/rollstamp/rollstamp/render/kustomize/edit"
)

// checkSets returns the error of parameters that Helm cannot read, under the names that an Application has for them.
// What they are laid over makes none of them right.
func checkSets(o *render.HelmOptions) error {
	empty := sets.Reader{File: func(string) (string, error) { return "", nil }}
	err := empty.Lay(o, map[string]any{})
	var e *sets.Error
	if !errors.As(err, &e) {
		return err
	}
	option := "parameters"
	if e.Flag == "--set-file" {
		option = "fileParameters"
	}
	return usage(option+" "+e.Key, sets.Hint, "%s", e.Why)
}

// checkEdits returns the error of changes that fit no kustomization.
func checkEdits(edits *render.KustomizeEdits) error {
	if err := edit.Check(edits); err != nil {
		return diag.Usage(err, "The types of all options are in docs/argocd.md.")
	}
	return nil
}

// checkGlobs returns the error of a pattern of files that is none.
func checkGlobs(d *Directory) error {
	for _, p := range [][2]string{{"include", d.Include}, {"exclude", d.Exclude}} {
		if _, err := argoglob.Compile(p[1]); err != nil {
			return usage(p[0], "It takes *, ?, [a-z] and {a,b}.", "%q is not a glob", p[1])
		}
	}
	return nil
}

// checkSource returns the error of options that are refused whatever files a source has.
func checkSource(s Source) error {
	var b Build
	var req render.Request
	var err error
	switch {
	case s.Helm != nil:
		o := &req.Helm
		if _, _, err = b.cluster(s.Helm.KubeVersion, nil); err != nil {
			return err
		}
		o.Set, o.SetString = b.sets(s.Helm)
		for _, p := range s.Helm.FileParameters {
			o.SetFile = append(o.SetFile, p.Name+"=file")
		}
		err = checkSets(o)
	case s.Kustomize != nil:
		k := *s.Kustomize
		k.Images = slices.DeleteFunc(slices.Clone(k.Images), func(image string) bool {
			return strings.Contains(image, "$") // what a variable in it stands for is not known
		})
		_, err = b.kustomize(&k, &req)
	case s.Directory != nil:
		err = errors.Join(checkGlobs(s.Directory), checkLibraries(s.Directory))
	}
	return err
}

// checkSettings returns the error of settings that are refused whatever files a source has.
func checkSettings(all []setting) error {
	for _, one := range all {
		err := one.inEachKind(checkSource)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTypes returns the error of a setting whose parts have other types than the field that it sets.
func (s setting) checkTypes() error {
	if s.option.Item != YAML {
		return nil // it is made of texts
	}
	return s.inEachKind(func(Source) error { return nil })
}

// inEachKind calls check with a source of each kind that has the option, and of it nothing but the setting.
func (s setting) inEachKind(check func(Source) error) error {
	for _, kind := range []render.Kind{render.KindHelm, render.KindKustomize, render.KindPlain} {
		path, has := s.option.path(kind)
		if !has || s.option.Own {
			continue
		}
		in, source := tree{}, Source{}
		if err := overlay(in, kind, []setting{s}); err != nil {
			return err
		}
		if err := fromTree(in, &source); err != nil {
			return diag.Usage(fmt.Errorf("%s: %w", s.from, typeCause(err, path)), typesHint)
		}
		if err := check(source); err != nil {
			return err
		}
	}
	return nil
}

// WrongType is the error of a field that has another type than it takes. It names no value.
type WrongType struct {
	Field       string // below the option, as target.name; the option itself where nothing in it is meant
	want, found string
}

// Error names the field and both types.
func (e *WrongType) Error() string {
	text := fmt.Sprintf("want %s to be of type %s, found one of type %s", e.Field, e.want, e.found)
	if e.want == "string" && (e.found == "bool" || e.found == "number") {
		text += ": put it in quotes"
	}
	return text
}

// typeCause returns which field below an option has which wrong type, without its value.
func typeCause(err error, option string) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return errors.New("a value has the wrong type")
	}
	found, _, _ := strings.Cut(e.Value, " ")
	field := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	if _, below, ok := strings.Cut("."+e.Field, "."+option+"."); ok {
		field = below
	}
	return &WrongType{Field: field, want: e.Type.String(), found: found}
}
