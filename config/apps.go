package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	if err := r.checkNamespace(); err != nil {
		return err
	}
	if e, ok := EngineOf(r.As); ok && (r.Release != "" || r.Namespace != "" || len(r.Values) > 0 || len(r.Envs) > 0) {
		return errors.New(e.One + " says its own release, namespace and values")
	}
	return nil
}

// namespaceName is what the API server takes for the name of a Namespace.
var namespaceName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
})

// checkNamespace refuses a namespace that no cluster can have, in any of the environments.
func (r *AppRule) checkNamespace() error {
	all := []string{string(r.Namespace)}
	if len(r.Envs) > 0 {
		all = nil
	}
	for _, env := range r.Envs {
		all = append(all, strings.ReplaceAll(string(r.Namespace), EnvField, string(env)))
	}
	for _, name := range all {
		if r.Namespace != "" && !namespaceName().MatchString(name) {
			return fmt.Errorf("namespace: %q is no name of a namespace: lower case letters, digits and -, 63 at most", name)
		}
	}
	return nil
}
