package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// EnvField is what the texts of an application's rule hold for the name of an environment.
const EnvField = "{env}"

// AppRule describes applications of a repository as what applies them knows them.
type AppRule struct {
	// Folder or file of the application, relative to this file; a glob means all folders that it fits.
	Path NonEmpty `yaml:"path" json:"path" schema:"required"`
	// What it is, where its files suggest something else; argocd means the Applications in its files.
	As AppKind `yaml:"as,omitempty" json:"as,omitempty"`
	// Name of a chart's release; {env} stands for the environment, here and below.
	Release NonEmpty `yaml:"release,omitempty" json:"release,omitempty"`
	// Namespace that it is applied to.
	Namespace NonEmpty `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	// A chart's files with values, relative to the application's folder, or with a leading slash to the repository's
	// top.
	Values []NonEmpty `yaml:"values,omitempty" json:"values,omitempty"`
	// Environments: each makes an application of its own, called PATH@ENV.
	Envs []NonEmpty `yaml:"envs,omitempty" json:"envs,omitempty"`
}

// AppKind is what an application's rule says it is.
type AppKind string

// Choices lists the values.
func (AppKind) Choices() []string { return []string{"helm", "kustomize", "plain", "argocd"} }

// UnmarshalText takes one of Choices.
func (k *AppKind) UnmarshalText(b []byte) error { return choose(k, string(b)) }

func (r *AppRule) check() error {
	path := filepath.FromSlash(string(r.Path))
	if filepath.IsAbs(path) || !filepath.IsLocal(path) {
		return errors.New("path: want a path relative to this file that stays below its folder")
	}
	if _, err := filepath.Match(path, ""); err != nil {
		return fmt.Errorf("path: %s is not a glob", r.Path)
	}
	seen := map[NonEmpty]bool{}
	for _, env := range r.Envs {
		if strings.ContainsAny(string(env), "/@{}") || seen[env] {
			return fmt.Errorf("envs: %q is given twice, or has a slash, an @ or a brace", env)
		}
		seen[env] = true
	}
	for _, text := range slices.Concat([]NonEmpty{r.Release, r.Namespace}, r.Values) {
		if strings.Contains(string(text), EnvField) && len(r.Envs) == 0 {
			return fmt.Errorf("%q names an environment, and there are no envs", text)
		}
	}
	if r.As == "argocd" && (r.Release != "" || r.Namespace != "" || len(r.Values) > 0 || len(r.Envs) > 0) {
		return errors.New("an Application says its own release, namespace and values")
	}
	return nil
}

// Apps are the rules of applications that a configuration file holds.
type Apps struct {
	Dir   string // the folder of the file, absolute; paths of the rules begin there
	Root  string // the repository that it lies in
	Rules []AppRule

	where map[string]diag.Position
}

// At returns the line of a rule, by its index.
func (a *Apps) At(i int) diag.Position { return a.where[fmt.Sprintf("apps[%d]", i)] }

// AppsOf returns the rules of applications in the configuration file of a place's own folder, or nil.
func AppsOf(p Place) (*Apps, error) { return appsIn(p, p.Dir) }

// NearestApps returns the rules of applications in the nearest configuration file upwards that has some, or nil.
func NearestApps(p Place) (*Apps, error) {
	for dir := range files.Upwards(p.Dir, p.Root) {
		if a, err := appsIn(p, dir); a != nil || err != nil {
			return a, err
		}
	}
	return nil, nil
}

// appsIn returns the rules in the configuration file of a folder, or nil.
func appsIn(p Place, dir string) (*Apps, error) {
	system, path := files.OrDisk(p.Files), filepath.Join(dir, FileName)
	text, err := readSmall(system, path)
	if err != nil || !bytes.Contains(text, []byte("apps")) {
		return nil, nil // whoever renders there reports a file that cannot be read
	}
	path, err = inside(system, p.Root, path)
	if err != nil {
		return nil, mistakeAt(diag.Position{}, err)
	}
	f, err := loadOne(system, path)
	if err != nil {
		return nil, err
	}
	if len(f.given.Apps.Value) == 0 {
		return nil, nil
	}
	return &Apps{Dir: dir, Root: p.Root, Rules: f.given.Apps.Value, where: f.where}, nil
}
